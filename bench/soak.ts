/**
 * Four hours at half of the greatest pace: deployments of all modes, people who decide, runners that claim and report.
 * Memory, connections, histories and tables whose rows come and go stay as they are, and a deployment in the end costs
 * as many bytes as one in the middle.
 *
 *     BENCH_SOAK_MINUTES=20 npm run bench -- soak     20 minutes instead of 240
 *     BENCH_FAULT=leak ...                            connections are opened and never closed: the bench must fail
 */
import { setTimeout as sleep } from "node:timers/promises";
import postgres from "postgres";
import { createAll, decideAll } from "./faultRun/people.ts";
import { startRunners } from "./faultRun/runners.ts";
import { Witness } from "./faultRun/witness.ts";
import { atLeast, atMost, type Bench, type BenchContext, type BenchResult, rounded } from "./harness/bench.ts";
import { faultOf } from "./harness/fault.ts";
import { openTemporalClient } from "./harness/histories.ts";
import { type Product, startProduct } from "./harness/product.ts";
import { insertStacks } from "./harness/rows.ts";
import { sizeOf } from "./harness/sizes.ts";
import { costGrowth, growthOf, type Sample } from "./soak/judge.ts";
import { look } from "./soak/looks.ts";

const MINUTES = sizeOf("BENCH_SOAK_MINUTES", 240);
const STACKS = 100;
const RUNNERS = 20;
/** To find the greatest pace. */
const SPRINT_MS = 90_000;
const SPRINT_LIVE = 150;
const LOOKS = 120;
const NO_END = 100_000_000;

export const bench: Bench = {
  what: `${MINUTES} minutes at half of the greatest pace: what grows`,
  limitSeconds: MINUTES * 60 + 1_200,
  run,
};

async function run(context: BenchContext): Promise<BenchResult> {
  const { say, signal } = context;
  const fault = faultOf(["leak"]);
  const product = await startProduct(context, { durable: true, temporalOnFile: true });
  const client = await openTemporalClient(context, product);
  const { sql, org, person, fleet } = product;
  const slugs = (await insertStacks(sql, org.orgId, STACKS)).map(({ slug }) => slug);
  const witness = new Witness();
  const runners = startRunners(fleet, RUNNERS, witness);
  context.closers.add(() => runners.stop());
  const ending = new AbortController();
  const over = AbortSignal.any([signal, ending.signal]);
  const deciding = decideAll(person, witness, over);
  const create = (from: number, everyMs: number, until: AbortSignal, hasRoom?: () => boolean) =>
    createAll({ person, slugs, range: [from, NO_END], everyMs, witness, signal: until, ...(hasRoom && { hasRoom }) });

  const greatest = await sprint(product, (until, hasRoom) => create(0, 20, until, hasRoom));
  const everyMs = 60_000 / (greatest / 2);
  say(`${Math.round(greatest)} a minute at most; one every ${Math.round(everyMs)} ms from now on`);
  const creating = create(NO_END / 2, everyMs, over);
  const samples: Sample[] = [];
  const leaked: postgres.Sql[] = [];
  context.closers.add(async () => void (await Promise.all(leaked.map((one) => one.end({ timeout: 1 })))));
  const began = performance.now();
  const first = (await ended(sql)).n;
  while (performance.now() - began < MINUTES * 60_000) {
    await sleep((MINUTES * 60_000) / LOOKS, undefined, { signal });
    if (fault === "leak") leaked.push(await idleConnection(product.databaseUrl));
    samples.push(await look(product, client, began));
    if (samples.length % 10 === 0) say(textOf(samples.at(-1) as Sample));
  }
  const carried = (await ended(sql)).n - first;
  ending.abort();
  await Promise.allSettled([creating, deciding]);
  await runners.stop();
  return judge(samples, { greatest, carried, odd: witness.oddities.length });
}

/** As many as can be carried out a minute, with so many live at any time. */
async function sprint(
  { sql }: Product,
  begin: (until: AbortSignal, hasRoom: () => boolean) => Promise<void>,
): Promise<number> {
  const stop = new AbortController();
  let live = 0;
  const creating = begin(stop.signal, () => live < SPRINT_LIVE).catch(() => {});
  const began = performance.now();
  while (performance.now() - began < SPRINT_MS) {
    live = (await ended(sql)).live;
    await sleep(250);
  }
  const { n } = await ended(sql);
  stop.abort();
  await creating;
  return (n / (performance.now() - began)) * 60_000;
}

async function ended(sql: postgres.Sql): Promise<{ n: number; live: number }> {
  const [row] = await sql<{ n: number; live: number }[]>`
    select count(*) filter (where completed_at is not null)::int as n, count(*) filter (where completed_at is null)::int as live
    from deployments`;
  return row ?? { n: 0, live: 0 };
}

async function idleConnection(url: string): Promise<postgres.Sql> {
  const one = postgres(url, { max: 1, idle_timeout: 0, onnotice: () => {} });
  await one`select 1`;
  return one;
}

function textOf({ atMs, memory, connections, bytes, deployments, openWorkflows }: Sample): string {
  const used = Object.entries(memory).map(([name, mb]) => `${name} ${Math.round(mb)}`);
  const minutes = Math.round(atMs / 60_000);
  return `${minutes} min: ${deployments} deployments, MB ${used.join(", ")}; ${connections} connections, ${openWorkflows} open, ${Math.round(bytes / 1_048_576)} MB of rows`;
}

/** Memory may breathe by a tenth; pages of tables that are used again by a half. */
const MOST: readonly [prefix: string, ratio: number][] = [
  ["memory", 1.1],
  ["connections", 1.1],
  ["table", 1.5],
  ["open workflows", 1.5],
  ["longest history", 1.5],
];

function judge(samples: readonly Sample[], pace: { greatest: number; carried: number; odd: number }): BenchResult {
  const growth = growthOf(samples);
  const bars = growth.map(({ name, ratio }) => {
    const most = MOST.find(([prefix]) => name.startsWith(prefix))?.[1] ?? 1;
    return [name.replaceAll(" ", "_"), atMost(ratio, most)] as const;
  });
  const wanted = (pace.greatest / 2) * MINUTES;
  return {
    figures: {
      minutes: MINUTES,
      greatest_per_minute: rounded(pace.greatest),
      carried_out: pace.carried,
      odd_answers: pace.odd,
      growth: Object.fromEntries(growth.map(({ name, before, after }) => [name, [rounded(before), rounded(after)]])),
    },
    bars: {
      ...Object.fromEntries(bars),
      bytes_a_deployment: atMost(costGrowth(samples), 1.2),
      carried_out_of_wanted: atLeast(pace.carried / wanted, 0.9),
    },
  };
}
