import { fork } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, afterEach, expect, test } from "vitest";
import type { OwnLog } from "../output/ownLog.ts";
import { isProcessAlive } from "../process/processTable.ts";
import type { Confined } from "../wall/confined.ts";
import { NoWall } from "../wall/noWall.ts";
import { Spares } from "./spares.ts";

const scratch = mkdtempSync(path.join(tmpdir(), "spares-"));
const WAIT = { timeout: 10_000, interval: 5 };
/** Answers what its environment is, and ends with its parent. */
const file = path.join(scratch, "program.cjs");
writeFileSync(
  file,
  `const channel = new (require("node:net").Socket)({ fd: 3 });
   const answer = { to_coordinator: { type: "copy_of", folder: JSON.stringify(process.env) } };
   channel.on("data", () => channel.write(JSON.stringify(answer) + "\\n"));
   channel.on("end", () => process.exit());`,
);

let spares: Spares;
let lines: string[] = [];
const taken: Confined[] = [];

function open(count: number, program = file, env: Record<string, string> = { OF_THE_PROGRAM: "1" }): Spares {
  lines = [];
  const say = (_fields: object, message: string) => void lines.push(message);
  const log: OwnLog = { debug: say, info: say, warn: say, error: say };
  spares = new Spares(new NoWall({ file: program, env }, scratch), count, log);
  return spares;
}

async function take(): Promise<Confined> {
  const confined = await spares.take();
  taken.push(confined);
  return confined;
}

function environment(confined: Confined): Promise<Record<string, string>> {
  return new Promise((resolve) => {
    confined.onMessage((message) => resolve(message.type === "copy_of" ? JSON.parse(message.folder) : {}));
    confined.tell({ type: "interrupt" });
  });
}

afterEach(async () => {
  await spares.end();
  for (const confined of taken.splice(0)) confined.kill();
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

test("the one that has waited longest is taken, and a new one when none is there", async () => {
  open(2).fill();
  const [first, second] = [await take(), await take()];
  const third = await take();
  expect(new Set([first.child.pid, second.child.pid, third.child.pid]).size).toBe(3);
  expect(first.child.pid).toBeLessThan(second.child.pid as number);
  for (const confined of [first, second, third])
    expect(await environment(confined)).toMatchObject({ OF_THE_PROGRAM: "1" });
});

test("nothing of the coordinator's settings is in the environment of one", async () => {
  process.env.RUNNER_OF_THIS_TEST = "a setting";
  open(1).fill();
  delete process.env.RUNNER_OF_THIS_TEST;
  const names = Object.keys(await environment(await take()));
  expect(names.filter((name) => name.startsWith("RUNNER_"))).toEqual([]);
});

test("one that dies is replaced", async () => {
  open(1).fill();
  const before = spares.pids();
  process.kill(before[0] as number, "SIGKILL");
  await expect.poll(() => spares.pids().filter((pid) => !before.includes(pid)), WAIT).toHaveLength(1);
  expect(lines).toEqual(["a process that waited for its run is gone"]);
  expect(await environment(await take())).toMatchObject({ OF_THE_PROGRAM: "1" });
});

test("those that cannot live are not started again and again at once", async () => {
  const broken = path.join(scratch, "broken.cjs");
  writeFileSync(broken, "process.exit(1);");
  open(3, broken).fill();
  await expect.poll(() => lines.length, WAIT).toBeGreaterThanOrEqual(3);
  const { child } = await take();
  expect(await once(child, "exit")).toEqual([1, null]);
});

test("what cannot be started at all is no error of whoever fills up, and one of whoever needs it", async () => {
  open(2, file, { A: "no\0variable" });
  expect(() => spares.fill()).not.toThrow();
  expect(lines).toEqual(["a process that waited for its run is gone"]);
  await expect(spares.take()).rejects.toThrow("null bytes");
});

test("one that does not end by itself is killed", async () => {
  const ready = path.join(scratch, "ready");
  const stubborn = path.join(scratch, "stubborn.cjs");
  const script = `require("node:fs").writeFileSync(${JSON.stringify(ready)}, "");`;
  writeFileSync(stubborn, `setInterval(() => {}, 60_000); ${script}`);
  open(1, stubborn).fill();
  const [pid] = spares.pids() as [number];
  await expect.poll(() => existsSync(ready), WAIT).toBe(true);
  await spares.end();
  expect(await isProcessAlive(pid)).toBe(false);
});

test("ending them leaves none, and none comes after", async () => {
  open(2).fill();
  const pids = spares.pids();
  await spares.end();
  spares.fill();
  expect(spares.pids()).toEqual([]);
  expect(await Promise.all(pids.map(isProcessAlive))).toEqual([false, false]);
});

test("they end when their coordinator is killed", async () => {
  const coordinator = path.join(scratch, "coordinator.ts");
  const modules = ["spares.ts", "../wall/noWall.ts"].map((name) => JSON.stringify(new URL(name, import.meta.url).href));
  writeFileSync(
    coordinator,
    `import { Spares } from ${modules[0]};
     import { NoWall } from ${modules[1]};
     const log = { debug() {}, info() {}, warn() {}, error() {} };
     const spares = new Spares(new NoWall({ file: ${JSON.stringify(file)}, env: {} }, "/tmp"), 2, log);
     spares.fill();
     process.send(spares.pids());`,
  );
  open(0);
  const parent = fork(coordinator);
  const [pids] = (await once(parent, "message")) as [number[]];
  expect(pids).toHaveLength(2);
  parent.kill("SIGKILL");
  await expect.poll(() => Promise.all(pids.map(isProcessAlive)), WAIT).toEqual([false, false]);
});
