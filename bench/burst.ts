/**
 * Nobody waits for anybody else: two APIs and two workers on this machine, and one organization that has much to do at
 * once. What another one sees of it, whose person confirms at a steady pace and whose leases and queued deployments run
 * into their deadlines: against what it saw just before, alone, and without a single answer 503.
 *
 *     npm run bench -- burst                           all of it, some 20 minutes
 *     BENCH_BURST_SHARE=0.1 npm run bench -- burst     a tenth of every size, some 5 minutes
 *     BENCH_BURST_ONLY=creates,cancels ...             some of the bursts
 *     BENCH_TEMPORAL_SERVER=<folder> ...               a real Temporal server on Postgres (harness/temporalServer.ts)
 */

import { besideBurst } from "./burst/beside.ts";
import type { Arrange } from "./burst/busy.ts";
import { cancels } from "./burst/cancels.ts";
import { createsOn } from "./burst/creates.ts";
import { openDeadlines } from "./burst/deadlines.ts";
import { deletions } from "./burst/deletions.ts";
import { onFreshWorker } from "./burst/freshWorker.ts";
import { type Beside, judge } from "./burst/judge.ts";
import { openNeighbour } from "./burst/neighbour.ts";
import { notifications } from "./burst/notifications.ts";
import { type Observed, type Others, observe } from "./burst/observe.ts";
import { BURST, WATCHED } from "./burst/sizes.ts";
import { openWorld } from "./burst/world.ts";
import type { Bench, BenchContext, BenchResult } from "./harness/bench.ts";
import { percentile } from "./harness/statistics.ts";

const BURSTS: Record<string, Arrange> = {
  creates: createsOn(BURST.creates),
  creates_that_queue: createsOn(BURST.fewStacks),
  notifications,
  deletions,
  cancels,
};
export const bench: Bench = {
  what: "an organization's confirms and deadlines beside another that creates, notifies, deletes or cancels very much at once",
  limitSeconds: 5_400,
  run,
};

async function run(context: BenchContext): Promise<BenchResult> {
  const bursts = chosen(process.env.BENCH_BURST_ONLY);
  const world = await openWorld(context);
  const leases = (bursts.length + 1) * (WATCHED.alone + WATCHED.beside) + WATCHED.warmUp + WATCHED.atOnce;
  const others = { neighbour: await openNeighbour(world), deadlines: await openDeadlines(world, leases) };
  await aloneFor(others, WATCHED.warmUp);
  const alone: Observed[] = [];
  const beside: Beside[] = [];
  for (const [name, arrange] of bursts) {
    const burst = await arrange(world);
    alone.push(await aloneFor(others, WATCHED.alone));
    context.say(`${"alone".padEnd(20)} ${textOf(alone.at(-1) as Observed)}`);
    beside.push({ name, ...(await besideBurst(world, others, burst)) });
    context.say(`${name.padEnd(20)} ${textOf(beside.at(-1)?.observed as Observed)}`);
  }
  const atOnce = await onFreshWorker(world, others.deadlines);
  return judge(alone, beside, atOnce);
}

function chosen(names: string | undefined): [string, Arrange][] {
  if (names === undefined || names === "") return Object.entries(BURSTS);
  return names.split(",").map((name) => {
    const arrange = BURSTS[name];
    if (arrange === undefined)
      throw new Error(`BENCH_BURST_ONLY: ${name} is none of ${Object.keys(BURSTS).join(", ")}`);
    return [name, arrange];
  });
}

async function aloneFor(others: Others, confirms: number): Promise<Observed> {
  await others.neighbour.prepare(confirms);
  return observe(others, confirms, new AbortController().signal);
}

function textOf({ confirms, late }: Observed): string {
  const ms = confirms.map((confirm) => confirm.ms);
  const p99 = (of: number[]) => percentile(of, 0.99).toFixed(0);
  const refused = confirms.filter(({ status }) => status !== 200).length;
  return `${ms.length} confirms p50 ${percentile(ms, 0.5).toFixed(0)} ms, p99 ${p99(ms)} ms, ${refused} refused; late p99: leases ${p99(late.lease)} ms, queued ${p99(late.queued)} ms`;
}
