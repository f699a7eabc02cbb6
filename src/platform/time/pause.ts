/** When something that failed and is counted in its row is tried again. Pure. */

export type RetryPolicy = {
  /** Tries before it is given up. */
  maxAttempts: number;
  /** Pause after the first failure, in milliseconds; tripled with each. */
  firstPauseMs: number;
};

const LONGEST_PAUSE_MS = 15 * 60_000;

/** Milliseconds until the next try, give or take a tenth; never before the other side wants to be asked again. */
export function pauseMs(
  { firstPauseMs }: Pick<RetryPolicy, "firstPauseMs">,
  attempts: number,
  retryAfterMs: number | null,
  random: number,
): number {
  const full = Math.min(firstPauseMs * 3 ** Math.min(attempts - 1, 12), LONGEST_PAUSE_MS);
  return Math.round(Math.max(full * (0.9 + random / 5), retryAfterMs ?? 0));
}
