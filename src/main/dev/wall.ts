/** What a runner says of the wall around its runs, for whoever started it. */
import { readFile, rm } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

const LOOK_EVERY_MS = 50;

type Runner = { pid: number; exited: Promise<unknown> };

/** To be called before the runner is started: what is there is an earlier one's. */
export async function forgetWall(readyFile: string): Promise<void> {
  await rm(readyFile, { force: true });
}

/** The wall that the runner has tried and taken; null when it ended without one. Never rejects. */
export async function wallOf(readyFile: string, { pid, exited }: Runner): Promise<string | null> {
  let ended = false;
  void exited.then(() => {
    ended = true;
  });
  while (!ended) {
    const ready = await readFile(readyFile, "utf8").catch(() => null);
    const said = ready === null ? null : (JSON.parse(ready) as { pid: number; isolation: string });
    if (said?.pid === pid) return said.isolation;
    await sleep(LOOK_EVERY_MS, undefined, { ref: false });
  }
  return null;
}

export function wallSentence(isolation: string): string {
  return isolation === "none"
    ? "runs have no wall around them: what a stack executes can do what you can (docs/runners.md)"
    : `each run has a wall around it: ${isolation}`;
}
