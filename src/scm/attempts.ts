/** How often an event is tried, and when again. Pure. */

export type RetryPolicy = {
  /** Tries before an event is given up. */
  maxAttempts: number;
  /** Pause after the first failure, in milliseconds; tripled with each. */
  firstPauseMs: number;
};

const LONGEST_PAUSE_MS = 15 * 60_000;

/** Milliseconds until the next try, with a tenth of jitter; never before the host wants to be asked again. */
export function pauseMs(policy: RetryPolicy, attempts: number, retryAfterMs: number | null, random: number): number {
  const full = Math.min(policy.firstPauseMs * 3 ** Math.min(attempts - 1, 12), LONGEST_PAUSE_MS);
  return Math.round(Math.max(full * (0.9 + random / 5), retryAfterMs ?? 0));
}
