/**
 * Chance that can be had again: `BENCH_SEED` repeats a run's choices, though not the moments at which the machine gets
 * to them.
 */

export type Seeded = {
  seed: number;
  /** From 0 to 1, 1 excluded. */
  next(): number;
  pick<T>(of: readonly T[]): T;
};

/** Says the seed, so that whoever sees a failure can take it up. */
export function seeded(say: (line: string) => void, env: NodeJS.ProcessEnv = process.env): Seeded {
  const given = env.BENCH_SEED;
  const seed = given === undefined || given === "" ? Math.floor(Math.random() * 2 ** 31) : Number(given);
  if (!Number.isSafeInteger(seed) || seed < 0) throw new Error(`BENCH_SEED=${given} is not a whole number`);
  say(`seed ${seed} (BENCH_SEED=${seed} chooses the same again)`);
  return seededBy(seed);
}

/** Mulberry32: small, and the same everywhere. */
export function seededBy(seed: number): Seeded {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    seed,
    next,
    pick<T>(of: readonly T[]): T {
      if (of.length === 0) throw new RangeError("nothing to pick from");
      return of[Math.floor(next() * of.length)] as T;
    },
  };
}
