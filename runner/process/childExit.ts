import type { ChildProcess } from "node:child_process";

/**
 * The exit code of a child, null when a signal ended it; at once when it is gone already, since it sends no event any
 * more. Never rejects: `once` of `node:events` would, with any error of the channel to the child.
 */
export function exitOf(child: ChildProcess): Promise<number | null> {
  const gone = child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
  if (gone) return Promise.resolve(child.exitCode);
  return new Promise((resolve) => child.once("exit", (code) => resolve(code)));
}
