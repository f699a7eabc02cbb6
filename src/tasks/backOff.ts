/** When a slice that failed is tried again. Pure. */

const FIRST_MS = 5_000;
const LONGEST_MS = 15 * 60_000;

/**
 * Milliseconds until the next try: tripled with each failure, up to a quarter of an hour, give or take a tenth. A task is never given
 * up: what it derives would stay wrong for ever.
 */
export function pauseMs(attempts: number, random: number): number {
  return Math.round(Math.min(FIRST_MS * 3 ** Math.min(attempts - 1, 12), LONGEST_MS) * (0.9 + random / 5));
}
