/**
 * How fast a process makes children, whatever the number of its cascades: each child is a workflow, and workers are
 * everybody's.
 */
import { setTimeout as sleep } from "node:timers/promises";

/** Make a child when its turn has come, in the order of the calls. */
export type Pace = <T>(make: () => Promise<T>) => Promise<T>;

/** After a quiet second as many as fit into one may come at once, so that small cascades wait for nothing. */
const BURST_MS = 1_000;
/** Of the time, what a cascade may work itself: what takes longer than usual is busy with others. */
const SHARE = 0.25;

export type Clock = { now(): number; sleep(ms: number): Promise<unknown> };
const CLOCK: Clock = { now: () => performance.now(), sleep };

/** At most `perSecond`, and fewer where a child takes its time. */
export function pacer(perSecond: number, { now, sleep }: Clock = CLOCK): Pace {
  const interval = 1_000 / perSecond;
  /** When the next child is due at an even pace. */
  let due = Number.NEGATIVE_INFINITY;
  return async (make) => {
    due = Math.max(due, now() - BURST_MS) + interval;
    const wait = due - now();
    if (wait > 0) await sleep(wait);
    const started = now();
    try {
      return await make();
    } finally {
      due += Math.max((now() - started) / SHARE - interval, 0);
    }
  };
}
