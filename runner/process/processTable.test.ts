import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { endGroup } from "./endGroup.ts";
import { childrenOf, groupsAtHome, isGroupAlive, isProcessAlive } from "./processTable.ts";

/** A shell that ends on request and leaves its child behind as a zombie, since nobody waits for it. */
function zombieMaker(env: Record<string, string> = {}) {
  const script = "sleep 0 & echo $!; exec sleep 60";
  const shell = spawn("/bin/sh", ["-c", script], { detached: true, env: { PATH: process.env.PATH, ...env } });
  return { shell, firstLine: once(shell.stdout, "data").then(([bytes]) => Number(String(bytes))) };
}

test("a zombie is not alive, though kill(2) still finds it", async () => {
  const { shell, firstLine } = zombieMaker();
  const zombie = await firstLine;
  await expect.poll(() => isProcessAlive(zombie), { interval: 5 }).toBe(false);
  expect(() => process.kill(zombie, 0)).not.toThrow();
  expect(await isProcessAlive(shell.pid!)).toBe(true);
  expect(await isGroupAlive(shell.pid!)).toBe(true);
  shell.kill("SIGKILL");
  await once(shell, "exit");
  expect(await isProcessAlive(shell.pid!)).toBe(false);
  await expect.poll(() => isGroupAlive(shell.pid!), { interval: 5 }).toBe(false);
});

test("the engines of a run are found by the home they were given, and ended", async () => {
  const directory = "/var/lib/runner/run-of-this-test";
  const { shell, firstLine } = zombieMaker({ HOME: `${directory}/home` });
  await firstLine;
  expect(await groupsAtHome(directory)).toEqual([shell.pid]);
  expect(await groupsAtHome("/var/lib/runner/run-of-this")).toEqual([]);
  const exit = once(shell, "exit");
  await endGroup(shell.pid!, 20_000);
  expect(await exit).toEqual([null, "SIGINT"]);
  expect(await groupsAtHome(directory)).toEqual([]);
});

test("a process is asked for those that it started, zombies too; one that is gone has none", async () => {
  const { shell, firstLine } = zombieMaker();
  const zombie = await firstLine;
  expect(await childrenOf(shell.pid!)).toEqual([zombie]);
  shell.kill("SIGKILL");
  await once(shell, "exit");
  expect(await childrenOf(shell.pid!)).toEqual([]);
});
