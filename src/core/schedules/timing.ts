/** When a schedule comes: once, or by a cron expression in a zone. Pure. */
import { nextPoint } from "../../platform/time/cron.ts";

export type Timing = {
  /** RFC 3339. */
  at: string | null;
  cron: string | null;
  time_zone: string;
};

/**
 * The first occurrence after `after`; null when none is left. What was missed before it, with the service away, is one
 * occurrence that was due and not many (docs/schedules.md#when-it-comes).
 */
export function nextOccurrence({ at, cron, time_zone }: Timing, after: Date): Date | null {
  if (at !== null) return new Date(at) > after ? new Date(at) : null;
  return cron === null ? null : nextPoint(cron, time_zone, after);
}

const FIRST_MS = 60_000;
const LONGEST_MS = 15 * 60_000;
/** After so many tries, some four hours, it is given up. */
const MOST_TRIES = 20;

/** Milliseconds until what failed so many times is tried again; null: no more. */
export function pauseAfter(tries: number): number | null {
  return tries >= MOST_TRIES ? null : Math.min(FIRST_MS * 2 ** (tries - 1), LONGEST_MS);
}
