/**
 * Interleaved rounds: on a machine whose speed changes from minute to minute only numbers taken side by side can be
 * compared. Each round measures every contender once, in an order that turns from round to round.
 */
import { median, percentile } from "./statistics.ts";

/** Measures one contender for one round and returns its samples in milliseconds. */
export type Contender = () => Promise<number[]>;

/** The samples of each contender, one list per round. */
export type Rounds<N extends string> = Record<N, number[][]>;

/** The first `warmUp` rounds are run and thrown away: plans, caches and connections settle in them. */
export async function interleave<N extends string>(
  contenders: Record<N, Contender>,
  { rounds, warmUp = 1 }: { rounds: number; warmUp?: number },
): Promise<Rounds<N>> {
  const names = Object.keys(contenders) as N[];
  const taken = Object.fromEntries(names.map((name) => [name, [] as number[][]])) as Rounds<N>;
  for (let round = 0; round < warmUp + rounds; round++) {
    for (let turn = 0; turn < names.length; turn++) {
      const name = names[(turn + round) % names.length] as N;
      const samples = await contenders[name]();
      if (round >= warmUp) taken[name].push(samples);
    }
  }
  return taken;
}

/** Median over the rounds of the subject's percentile divided by the baseline's in the same round. */
export function ratio(subject: number[][], baseline: number[][], share: number): number {
  return median(subject.map((samples, i) => percentile(samples, share) / percentile(baseline[i] ?? [], share)));
}

/** Median over the rounds of one contender's percentile. */
export function typical(rounds: number[][], share: number): number {
  return median(rounds.map((samples) => percentile(samples, share)));
}

/** Time `count` calls, one after the other, in milliseconds each. */
export async function timed(count: number, work: (i: number) => Promise<unknown>): Promise<number[]> {
  const samples: number[] = [];
  for (let i = 0; i < count; i++) {
    const started = performance.now();
    await work(i);
    samples.push(performance.now() - started);
  }
  return samples;
}
