/** A server of `src/main/dev` as a component that can be killed with -9 and started again at the same place. */
import { readFile } from "node:fs/promises";
import type { Server } from "../../src/main/dev/supervise.ts";
import type { BenchContext } from "../harness/bench.ts";
import type { Component } from "./chaos.ts";

export type Killable<S extends Server> = { first: S; component: Component };

/** @param pidFile its first line names the process */
export async function killable<S extends Server>(
  { closers }: BenchContext,
  name: string,
  pidFile: string,
  start: () => Promise<S>,
): Promise<Killable<S>> {
  const first = await start();
  let current: S = first;
  closers.add(() => current.stop());
  const component = {
    name,
    async kill() {
      const pid = Number.parseInt(await readFile(pidFile, "utf8"), 10);
      process.kill(pid, "SIGKILL");
      await current.exited;
      return true;
    },
    async start() {
      current = await start();
    },
  };
  return { first, component };
}
