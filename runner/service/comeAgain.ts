/** When the service wants to be called again: while nobody follows a run, it says so. */

/** What an answer says of it; null when it says nothing. */
export type ComeAgain = { comeAgainMs: number | null };

/** Whoever set a short interval wants to hear soon: a pause is never longer than this many of them. */
const MOST_INTERVALS = 5;

/** The pause before the next call: never shorter than the run's own interval. Pure. */
export function pauseOf(intervalMs: number, { comeAgainMs }: ComeAgain): number {
  return Math.min(Math.max(intervalMs, comeAgainMs ?? 0), intervalMs * MOST_INTERVALS);
}
