/**
 * 100,000 steps by chance against a small model of the rules: people who create, confirm, plan anew, skip, cancel, hold
 * and prioritize; runners that claim, accept, report and die; time that passes, timers that come when they like, two of
 * these at once, and processes that do again what they had done. After every step what was answered and what the rows
 * say must be what the rules say. A difference is shrunk to the shortest way that leads to it.
 *
 *     BENCH_MODEL_SHARE=0.02 npm run bench -- model     2,000 steps, less than a minute
 *     BENCH_FAULT=rule ...                              the model has a rule that is wrong: the bench must fail
 */
import fc from "fast-check";
import { atLeast, type Bench, type BenchContext, type BenchResult, exactly } from "./harness/bench.ts";
import { faultOf } from "./harness/fault.ts";
import { seeded } from "./harness/seeded.ts";
import { type BenchDatabase, benchPostgres } from "./harness/servers.ts";
import { shareOf, sizeOf } from "./harness/sizes.ts";
import { commandsOf, type Real } from "./model/commands.ts";
import { LIMITS, type ModelStack, newModel } from "./model/rules.ts";
import { installClock, World } from "./model/world.ts";

const STEPS = shareOf("BENCH_MODEL_SHARE")(100_000);
/** Databases, each with a clock of its own, so that one waits for the disk while another computes. */
const WORLDS = sizeOf("BENCH_MODEL_WORLDS", 3);
const LONGEST_LIFE = 120;
const MINUTE = 60_000;
const STACKS: readonly ModelStack[] = [
  { held: false, queuedMs: null, confirmationMs: null },
  { held: false, queuedMs: 45 * MINUTE, confirmationMs: 20 * MINUTE },
];

export const bench: Bench = {
  what: `${STEPS} random steps of people, runners, time and repeats against a model of the rules`,
  limitSeconds: 7_200,
  run,
};

async function run(context: BenchContext): Promise<BenchResult> {
  const { say } = context;
  const { seed } = seeded(say);
  if (faultOf(["rule"]) === "rule") LIMITS.maxAssignmentAttempts += 1;
  const postgres = await benchPostgres(context);
  const tally: Tally = { steps: 0, lives: 0, differences: [], ends: {}, mostAttempts: 0 };
  const began = performance.now();
  const telling = setInterval(() => say(`${tally.steps} steps in ${tally.lives} lives`), 60_000);
  context.closers.add(async () => clearInterval(telling));
  await Promise.all(
    Array.from({ length: WORLDS }, async (_, at) => {
      const database = await postgres.database(`model_${at}`, 4);
      await installClock(database);
      await explore(context, database, seed + at * 1_000_003, tally);
    }),
  );
  for (const difference of tally.differences) say(difference);
  return {
    figures: {
      seconds: Math.round((performance.now() - began) / 1_000),
      steps: tally.steps,
      lives: tally.lives,
      ends: tally.ends,
      most_attempts: tally.mostAttempts,
      seed,
    },
    bars: { differences: exactly(tally.differences.length, 0), steps: atLeast(tally.steps, STEPS) },
  };
}

type Tally = {
  steps: number;
  lives: number;
  differences: string[];
  /** Where deployments were when a life was over: all places should be among them. */
  ends: Record<string, number>;
  mostAttempts: number;
};

/** Life after life, each in an organization of its own, until there were enough steps or one went wrong. */
async function explore({ signal }: BenchContext, database: BenchDatabase, from: number, tally: Tally): Promise<void> {
  const lives = fc.commands(commandsOf(STACKS.length), { maxCommands: LONGEST_LIFE, size: "max" });
  const life = fc.asyncProperty(lives, async (commands) => {
    const world = await World.open(database, STACKS);
    const real: Real = { database, world, onStep: () => void tally.steps++ };
    const model = newModel(STACKS, 0);
    await fc.asyncModelRun(() => ({ model, real }), commands);
    tally.lives += 1;
    for (const { status, runs } of model.deployments) {
      tally.ends[status] = (tally.ends[status] ?? 0) + 1;
      tally.mostAttempts = Math.max(tally.mostAttempts, ...runs.map(({ attempts }) => attempts));
    }
  });
  for (let seed = from; tally.steps < STEPS && tally.differences.length === 0; seed++) {
    signal.throwIfAborted();
    const result = await fc.check(life, { seed, numRuns: 1, endOnFailure: false });
    if (result.failed) tally.differences.push(`${fc.defaultReportMessage(result)}\n${result.errorInstance}`);
  }
}
