import { expect, it } from "vitest";
import { startChild } from "./child.ts";
import { supervise } from "./supervise.ts";

it("starts a killed server again, and leaves none after stop", async () => {
  const pids: number[] = [];
  const start = async () => {
    const child = await startChild("sleep", ["60"]);
    pids.push(child.pid);
    return child;
  };
  const told: string[] = [];
  const restarted = Promise.withResolvers<void>();
  const first = await start();
  const server = supervise(
    "sleeper",
    first,
    async () => {
      const child = await start();
      restarted.resolve();
      return child;
    },
    (line) => told.push(line),
  );
  process.kill(first.pid, "SIGKILL");
  await restarted.promise;
  await server.stop();
  expect(told).toEqual(["sleeper ended with signal SIGKILL; starting it again"]);
  expect(pids).toHaveLength(2);
  for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow("ESRCH");
});

it("gives up trying when it is stopped meanwhile", async () => {
  const first = await startChild("true", []);
  const tried = Promise.withResolvers<void>();
  const server = supervise(
    "sleeper",
    first,
    async () => {
      tried.resolve();
      throw new Error("no such port");
    },
    () => {},
  );
  await tried.promise;
  await server.stop();
});
