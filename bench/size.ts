/**
 * An installation as it grows: 1,000 stacks with 100,000 past deployments, and 10,000 stacks with 1,000,000, each with
 * an API of its own before one Postgres. Turn by turn both carry out what people and runners ask for: no operation may
 * take more than 1.2 times as long. Then runs are at work on the big one, more and more up to 860, at the pace of
 * runners that somebody follows and at that of runners that nobody follows.
 *
 *     BENCH_SIZE_SHARE=0.1 npm run bench -- size     a tenth of the past deployments
 *     BENCH_FAULT=index ...                          an index is missing in the big one: the bench must fail
 */
import {
  atLeast,
  atMost,
  type Bench,
  type BenchContext,
  type BenchResult,
  type Figures,
  rounded,
} from "./harness/bench.ts";
import { faultOf } from "./harness/fault.ts";
import { ratio, typical } from "./harness/rounds.ts";
import { limitsText, WIDE_LIMITS } from "./harness/seed.ts";
import { seeded } from "./harness/seeded.ts";
import { benchPostgres } from "./harness/servers.ts";
import { shareOf } from "./harness/sizes.ts";
import { beginRuns, keepGoing, type Pace } from "./size/live.ts";
import { carryOut, OPERATIONS, type Operation } from "./size/operations.ts";
import { openWorld, type World } from "./size/world.ts";

const part = shareOf("BENCH_SIZE_SHARE");
const FEW = { stacks: 1_000, past: part(100_000) };
const MANY = { stacks: 10_000, past: part(1_000_000) };
const ROUNDS = 12;
const TIMES = 10;
const LIVE = [215, 430, 860];
const LIVE_MS = 30_000;
const PACES: Pace[] = [
  { name: "followed", statusMs: 5_000, logMs: 2_000 },
  { name: "calm", statusMs: 10_000, logMs: 10_000 },
];

export const bench: Bench = {
  what: `${FEW.stacks} stacks against ${MANY.stacks} with ${MANY.past} past deployments, and ${LIVE.at(-1)} live runs`,
  limitSeconds: 7_200,
  run,
};

async function run(context: BenchContext): Promise<BenchResult> {
  context.say(limitsText(WIDE_LIMITS));
  const chance = seeded(context.say);
  const fault = faultOf(["index"]);
  const postgres = await benchPostgres(context);
  const few = await openWorld(context, postgres, "few", FEW);
  const many = await openWorld(context, postgres, "many", MANY);
  if (fault === "index") await many.sql`drop index runs_claimable`;
  const taken = { few: byOperation(), many: byOperation() };
  for (let round = -2; round < ROUNDS; round++) {
    for (const world of round % 2 === 0 ? [few, many] : [many, few]) {
      const samples = await carryOut(world, chance, TIMES);
      if (round < 0) continue;
      for (const name of OPERATIONS) taken[world.name as "few" | "many"][name].push(samples[name]);
    }
  }
  const growth = OPERATIONS.map((name) => [name, rounded(ratio(taken.many[name], taken.few[name], 0.5))] as const);
  for (const [name, by] of growth) context.say(`${name.padEnd(23)} ${millisecondsOf(taken, name)}, x ${by.toFixed(2)}`);
  const live = await withLiveRuns(context, many);
  return {
    figures: {
      ...{ few: FEW, many: MANY },
      milliseconds: Object.fromEntries(
        growth.map(([name, by]) => [
          name,
          { few: timesOf(taken.few[name]), many: timesOf(taken.many[name]), growth: by },
        ]),
      ),
      live: live.figures,
    },
    bars: {
      ...Object.fromEntries(growth.map(([name, by]) => [`${name}_growth`, atMost(by, 1.2)])),
      claim_p99_growth: atMost(ratio(taken.many.claim, taken.few.claim, 0.99), 1.5),
      live_carried: atLeast(live.carried, 0.95),
    },
  };
}

type Taken = Record<Operation, number[][]>;

function byOperation(): Taken {
  return Object.fromEntries(OPERATIONS.map((name) => [name, [] as number[][]])) as Taken;
}

function timesOf(rounds: number[][]): Figures {
  return { p50: rounded(typical(rounds, 0.5)), p99: rounded(typical(rounds, 0.99)) };
}

function millisecondsOf({ few, many }: { few: Taken; many: Taken }, name: Operation): string {
  return `p50 ${typical(few[name], 0.5).toFixed(2)} and ${typical(many[name], 0.5).toFixed(2)} ms`;
}

/** The least part of what was due that was answered while all of them were live and nobody followed them. */
async function withLiveRuns({ say }: BenchContext, world: World): Promise<{ figures: Figures; carried: number }> {
  const figures: Record<string, Figures> = {};
  const runs: Awaited<ReturnType<typeof beginRuns>> = [];
  let carried = 0;
  for (const count of LIVE) {
    runs.push(...(await beginRuns(world, count - runs.length)));
    for (const pace of PACES) {
      const held = await keepGoing(world, runs, pace, LIVE_MS);
      carried = held.carried;
      figures[`${count} ${pace.name}`] = held.figures;
      say(`${count} live, ${pace.name}: ${JSON.stringify(held.figures)}`);
    }
  }
  return { figures, carried };
}
