import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { isRunning, startChild, stopLeftover } from "./child.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "svc-child-"));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

it("kills a process that ignores the signal, after its grace", async () => {
  const log = join(folder, "log");
  const child = await startChild("sh", ["-c", "trap '' TERM; echo ready; while :; do sleep 0.1; done"], {
    logFile: log,
  });
  while ((await readFile(log, "utf8")) !== "ready\n") await new Promise(setImmediate);
  await child.stop("SIGTERM", 100);
  expect(await child.exited).toBe("signal SIGKILL");
});

it("says that a program is missing", async () => {
  await expect(startChild(join(folder, "nothing"), [])).rejects.toThrow("ENOENT");
});

it("stops the process an earlier run noted, but never another that has its id now", async () => {
  const pidFile = join(folder, "pid");
  const child = await startChild("sleep", ["61.5"]);
  await writeFile(pidFile, `${child.pid}\n`);
  await stopLeftover(pidFile, join(folder, "some.db"));
  expect(await isRunning(child.pid, "61.5")).toBe(true);
  await stopLeftover(pidFile, "61.5");
  expect(await child.exited).toBe("signal SIGTERM");
});
