/** A day of checks without a clock: when each stack is due, and how many are under way. Pure. */
import { mostAtOnce } from "../../src/core/drift/pace.ts";
import { nextCheck } from "../../src/core/drift/schedule.ts";

type Timing = Parameters<typeof nextCheck>[0];

export type Day = {
  /** Under way in each second in which any was due or under way. */
  mean: number;
  most: number;
  begun: number;
  /** Seconds from when a check was due until it began. */
  late: number[];
};

const START = Date.parse("2026-03-02T00:00:00Z");

/**
 * Every stack once, by the service's own rule for when it is due and for how many are under way. The looked at time
 * begins when as many are under way as there will be, and ends with the last that is due.
 */
export function dayOf(stackKeys: readonly string[], timing: Timing, seconds: (stackKey: string) => number): Day {
  const due = stackKeys
    .map((key) => ({ key, ...nextCheck(timing, key, new Date(START - 1))! }))
    .sort((a, b) => a.dueAt.getTime() - b.dueAt.getTime());
  const load = due.reduce((sum, { key, spreadMs }) => sum + (seconds(key) * 1_000) / spreadMs, 0);
  const limit = mostAtOnce(load);
  const ends: number[] = [];
  const late: number[] = [];
  const counts: number[] = [];
  const first = Math.floor((due[0]?.dueAt.getTime() ?? START) / 1_000);
  const last = Math.floor((due.at(-1)?.dueAt.getTime() ?? START) / 1_000);
  let next = 0;
  for (let now = first; now <= last; now++) {
    for (let i = ends.length - 1; i >= 0; i--) if ((ends[i] as number) <= now) ends.splice(i, 1);
    for (; ends.length < limit && next < due.length; next++) {
      const { key, dueAt } = due[next] as (typeof due)[number];
      if (dueAt.getTime() > now * 1_000) break;
      ends.push(now + seconds(key));
      late.push(now - Math.floor(dueAt.getTime() / 1_000));
    }
    counts.push(ends.length);
  }
  const steady = counts.slice(Math.min(300, Math.floor(counts.length / 10)));
  const mean = steady.reduce((sum, n) => sum + n, 0) / steady.length;
  return { mean, most: steady.reduce((a, b) => Math.max(a, b), 0), begun: next, late };
}
