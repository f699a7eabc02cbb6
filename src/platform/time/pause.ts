/** How long to wait before what failed is tried again, and waiting. Whoever asks draws the random number. */
import { setTimeout as sleep } from "node:timers/promises";

/** A pause that grows with each failure in a row, in whatever unit it is told. */
export type Growth = { first: number; factor: number; longest: number };

export function grown({ first, factor, longest }: Growth, failures: number): number {
  return Math.min(first * factor ** (failures - 1), longest);
}

/**
 * Between two multiples of `pause`, so that what failed together does not come back together.
 * @param random from 0 to 1
 */
export function spread(pause: number, [least, most]: readonly [number, number], random: number): number {
  return pause * (least + (most - least) * random);
}

/** For what is counted in its row. */
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
  const full = grown({ first: firstPauseMs, factor: 3, longest: LONGEST_PAUSE_MS }, attempts);
  return Math.round(Math.max(spread(full, [0.9, 1.1], random), retryAfterMs ?? 0));
}

/** Wait so long, or until the signal aborts. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {});
}
