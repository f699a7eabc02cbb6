/**
 * Ten thousand stacks a day are checked for drift: how many checks are under way at once, by a day without a clock and
 * on the product at four times the speed; and what another organization's person sees of it, against what they saw just
 * before, alone.
 */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { mostAtOnce } from "../src/core/drift/pace.ts";
import { type Answered, type Neighbour, openNeighbour } from "./burst/neighbour.ts";
import { openWorld } from "./burst/world.ts";
import { beginChecking, seedChecked, startCheckers, watchRunning } from "./drift/checked.ts";
import { dayOf } from "./drift/day.ts";
import { atLeast, atMost, type Bench, type BenchContext, type BenchResult, exactly, rounded } from "./harness/bench.ts";
import { shareOf } from "./harness/sizes.ts";
import { percentile, summary } from "./harness/statistics.ts";

const part = shareOf("BENCH_DRIFT_SHARE");
const STACKS = 10_000;
const CHECK_SECONDS = 60;
/** Of the product: a day in six hours, of which some minutes are looked at. */
const SPEED = 4;
const CONFIRMS = part(300);
const CONFIRM_EVERY_MS = 400;

export const bench: Bench = {
  what: "10,000 stacks checked for drift a day: checks at once, and another organization's confirms beside them",
  limitSeconds: 1_200,
  run,
};

async function run(context: BenchContext): Promise<BenchResult> {
  const day = simulated();
  context.say(`a day: ${rounded(day.interval.mean)} at once in the mean, ${day.interval.most} at most`);
  const product = await onProduct(context);
  return {
    figures: { simulated: day, product: product.figures },
    bars: {
      day_most_to_mean: atMost(day.interval.most / day.interval.mean, 1.2),
      full_hour_most_to_mean: atMost(day.full_hour.most / day.full_hour.mean, 1.2),
      ...product.bars,
    },
  };
}

/** Checks of 20 to 100 seconds, at places by an interval and within the hour of a cron schedule. */
function simulated() {
  const keys = Array.from({ length: STACKS }, (): string => randomUUID());
  const seconds = new Map(keys.map((key) => [key, CHECK_SECONDS - 40 + Math.round(Math.random() * 80)]));
  const looked = (timing: Parameters<typeof dayOf>[1]) => {
    const { late, ...day } = dayOf(keys, timing, (key) => seconds.get(key) as number);
    return { ...day, most_to_mean: rounded(day.most / day.mean), late_seconds: summary(late) };
  };
  return {
    interval: looked({ interval: "P1D", cron: null, time_zone: "UTC" }),
    full_hour: looked({ interval: null, cron: "0 3 * * *", time_zone: "UTC" }),
  };
}

async function onProduct(context: BenchContext): Promise<BenchResult> {
  const world = await openWorld(context);
  const { sql } = world.product;
  const checkMs = (CHECK_SECONDS * 1_000) / SPEED;
  const roundMs = 86_400_000 / SPEED;
  const { org, fleets } = await world.openTenant();
  await seedChecked(sql, org.orgId, org.group.groupId, { stacks: STACKS, checkMs, roundMs });
  const neighbour = await openNeighbour(world);
  await confirmsOf(neighbour, part(100));
  const alone = await confirmsOf(neighbour, CONFIRMS);
  startCheckers(context, fleets, 24, checkMs);
  await beginChecking(sql, org.orgId);
  // As many are under way as there will be after some of their own times.
  await sleep(4 * checkMs);
  const stopping = new AbortController();
  const watching = watchRunning(sql, org.orgId, stopping.signal);
  const beside = await confirmsOf(neighbour, CONFIRMS);
  stopping.abort();
  const running = await watching;
  const mean = running.reduce((sum, n) => sum + n, 0) / running.length;
  const [row] = await sql`
    select count(*) filter (where status = 'none')::int as checked,
      count(*) filter (where put_off is not null)::int as put_off, count(*) filter (where status = 'failed')::int as failed
    from stack_drift where org_id = ${org.orgId}`;
  const to = (share: number) => percentile(times(beside), share) / percentile(times(alone), share);
  context.say(`${row?.checked} checks, ${rounded(mean)} at once; confirms p99 ${percentile(times(beside), 0.99)} ms`);
  return {
    figures: {
      checks_under_way: { mean: rounded(mean), most: Math.max(...running) },
      checked: row?.checked,
      put_off: row?.put_off,
      confirms_alone_ms: summary(times(alone)),
      confirms_beside_ms: summary(times(beside)),
    },
    bars: {
      product_most_at_once: atMost(Math.max(...running), mostAtOnce((STACKS * checkMs) / roundMs)),
      product_checked: atLeast(row?.checked, part(50)),
      product_failed: exactly(row?.failed, 0),
      confirm_p50_to_alone: atMost(to(0.5), 1.5),
      confirm_p99_to_alone: atMost(to(0.99), 1.5),
      answers_not_200: exactly([...alone, ...beside].filter(({ status }) => status !== 200).length, 0),
    },
  };
}

const times = (confirms: readonly Answered[]) => confirms.map(({ ms }) => ms);

/** A person who confirms at a steady pace. */
async function confirmsOf(neighbour: Neighbour, count: number): Promise<Answered[]> {
  await neighbour.prepare(count);
  const confirms: Promise<Answered>[] = [];
  for (let i = 0; i < count; i++) {
    confirms.push(neighbour.confirm());
    await sleep(CONFIRM_EVERY_MS);
  }
  return Promise.all(confirms);
}
