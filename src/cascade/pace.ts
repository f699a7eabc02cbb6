/** How fast a process makes children, whatever the number of its cascades: each child is a workflow, and workers are everybody's. */
import { setTimeout as sleep } from "node:timers/promises";

/** Resolves when the next child may be made, in the order of the calls. */
export type Pace = () => Promise<void>;

/** After a quiet second as many as fit into one may come at once, so that small cascades wait for nothing. */
const BURST_MS = 1_000;

export function pacer(perSecond: number, now: () => number = () => performance.now()): Pace {
  const interval = 1_000 / perSecond;
  /** When the next child is due at an even pace. */
  let due = Number.NEGATIVE_INFINITY;
  return async () => {
    due = Math.max(due, now() - BURST_MS) + interval;
    const wait = due - now();
    if (wait > 0) await sleep(wait);
  };
}
