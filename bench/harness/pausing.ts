/** Processes that stand still now and then, as on a machine that is short of memory or whose disk hangs. */
import { setTimeout as sleep } from "node:timers/promises";

export type Pausing = { pauses: number; stop(): Promise<void> };

/** One after the other, each for so long; all of them go on before `stop` resolves. */
export function pausing(pids: readonly number[], { forMs, everyMs }: { forMs: number; everyMs: number }): Pausing {
  const stopping = new AbortController();
  const pause: Pausing = { pauses: 0, stop: async () => {} };
  const loop = async () => {
    for (let turn = 0; !stopping.signal.aborted; turn++) {
      await sleep(everyMs - forMs, undefined, { signal: stopping.signal }).catch(() => {});
      if (stopping.signal.aborted) return;
      const pid = pids[turn % pids.length] as number;
      await still(pid, forMs);
      pause.pauses += 1;
    }
  };
  const looping = loop();
  pause.stop = async () => {
    stopping.abort();
    await looping;
  };
  return pause;
}

/** It does nothing for so long. One that is gone meanwhile is nobody's loss. */
export async function still(pid: number, ms: number): Promise<void> {
  const tell = (signal: "SIGSTOP" | "SIGCONT") => {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  };
  tell("SIGSTOP");
  try {
    await sleep(ms);
  } finally {
    tell("SIGCONT");
  }
}
