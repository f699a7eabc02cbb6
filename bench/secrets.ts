/**
 * Secrets of every kind, in every place and layout in which an engine prints them, masked as the runner does. An oracle
 * that knows the encodings alone looks for them in what is left. Beside it what a real engine prints.
 */
import { join } from "node:path";
import { atLeast, type Bench, type BenchContext, type BenchResult, exactly } from "./harness/bench.ts";
import { onPath } from "./runner/withTerraform.ts";
import { realRounds } from "./secrets/realEngine.ts";
import { hitsIn, randomSeed, roundsFrom } from "./secrets/rounds.ts";

const ROUNDS = 10_000;
const REAL = 200;

export const bench: Bench = {
  what: `${ROUNDS} secrets in what engines print: how many are read after masking; SECRETS_SEED repeats a run`,
  limitSeconds: 600,
  run,
};

async function run(context: BenchContext): Promise<BenchResult> {
  const seed = Number(process.env.SECRETS_SEED ?? randomSeed());
  context.say(`seed ${seed}`);
  const started = performance.now();
  const { hits, told } = hitsIn(roundsFrom(seed, ROUNDS));
  for (const hit of hits.slice(0, 20)) context.say(`round ${hit.seed}: ${hit.kind}, ${hit.source}, ${hit.how}`);
  const engine = onPath("terraform");
  const real = engine === null ? null : realRounds(engine, join(context.folder, "engine"), seed, REAL);
  for (const hit of real?.hits.slice(0, 20) ?? []) context.say(`with the engine: ${JSON.stringify(hit)}`);
  return {
    figures: { seed, rounds: ROUNDS, seconds: (performance.now() - started) / 1_000, real },
    bars: {
      hits: exactly(hits.length, 0),
      // An oracle that finds nothing in unmasked text would hold every bar.
      found_before_masking: atLeast(told / ROUNDS, 0.99),
      ...(real === null
        ? {}
        : { engine_hits: exactly(real.hits.length, 0), engine_found_before_masking: atLeast(real.told / REAL, 0.99) }),
    },
  };
}
