/** Percentiles and medians of samples. */

/**
 * The smallest sample that at least `share` (0 to 1) of all samples do not exceed: nearest rank, no interpolation, so a
 * p99 is always a time that was really measured.
 * @throws on no samples
 */
export function percentile(samples: readonly number[], share: number): number {
  if (samples.length === 0) throw new RangeError("no samples");
  const sorted = [...samples].sort((a, b) => a - b);
  const rank = Math.ceil(share * sorted.length);
  return sorted[Math.min(Math.max(rank, 1), sorted.length) - 1] as number;
}

/** The middle sample; the mean of the two middle ones of an even number. @throws on no samples */
export function median(samples: readonly number[]): number {
  if (samples.length === 0) throw new RangeError("no samples");
  const sorted = [...samples].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] as number;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] as number) + upper) / 2;
}

export type Summary = { n: number; p50: number; p90: number; p99: number; max: number };

/** Milliseconds in, milliseconds out, to the microsecond. */
export function summary(samples: readonly number[]): Summary {
  const at = (share: number) => Math.round(percentile(samples, share) * 1000) / 1000;
  return { n: samples.length, p50: at(0.5), p90: at(0.9), p99: at(0.99), max: at(1) };
}
