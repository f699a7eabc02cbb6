/** What the process of a run says of itself, to the operator. */
import type { ChildProcess } from "node:child_process";

/**
 * Adds it to what the coordinator says. Whatever a process has as its output any program beside it can open by `/proc`,
 * so it gets a socket of its own, which nobody can open: the coordinator's log could else be read and emptied.
 */
export function passOn(child: ChildProcess): ChildProcess {
  child.stdout?.on("data", (bytes: Buffer) => process.stdout.write(bytes)).on("error", () => {});
  return passOnErrors(child);
}

/** The same where its output is a channel. */
export function passOnErrors(child: ChildProcess): ChildProcess {
  child.stderr?.on("data", (bytes: Buffer) => process.stderr.write(bytes)).on("error", () => {});
  return child;
}

/** For a process that outlives its coordinator: nobody reads any more, and that is no reason to end. */
export function outliveReader(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
}
