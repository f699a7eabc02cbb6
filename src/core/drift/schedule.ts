/** When a stack is checked next: the schedule's times, spread by a hash of the stack. Pure. */
import { createHash } from "node:crypto";
import { nextPoint } from "../../platform/time/cron.ts";
import { durationToMs } from "../../platform/time/durations.ts";

const HOUR = 3_600_000;
/** As far as the stacks of one point of a cron schedule lie apart. */
const CRON_SPREAD_MS = HOUR;

type Timing = { interval: string | null; cron: string | null; time_zone: string };
export type NextCheck = {
  dueAt: Date;
  /** Over how long the checks of this round are spread. */
  spreadMs: number;
};

/** Where in a round the stack has its place, from 0 to 1: the same for ever, and even over many stacks. */
export function placeOf(stackKey: string): number {
  return createHash("sha256").update(stackKey).digest().readUIntBE(0, 6) / 2 ** 48;
}

/** The first time after `after` at which the stack is due. Null: its schedule has no further point. */
export function nextCheck({ interval, cron, time_zone }: Timing, stackKey: string, after: Date): NextCheck | null {
  const place = placeOf(stackKey);
  if (interval !== null) {
    const period = durationToMs(interval) ?? 24 * HOUR;
    const offset = Math.floor(place * period);
    const rounds = Math.floor((after.getTime() - offset) / period) + 1;
    return { dueAt: new Date(rounds * period + offset), spreadMs: period };
  }
  return cron === null ? null : nextByCron((from) => nextPoint(cron, time_zone, from), place, after);
}

/** Points of the last hour still have stacks to come. */
function nextByCron(next: (from: Date) => Date | null, place: number, after: Date): NextCheck | null {
  let point = next(new Date(after.getTime() - CRON_SPREAD_MS - 1_000));
  while (point !== null) {
    const following = next(point);
    const gap = following === null ? CRON_SPREAD_MS : following.getTime() - point.getTime();
    const spreadMs = Math.min(CRON_SPREAD_MS, gap);
    const dueAt = new Date(point.getTime() + Math.floor(place * spreadMs));
    if (dueAt.getTime() > after.getTime()) return { dueAt, spreadMs };
    point = following;
  }
  return null;
}
