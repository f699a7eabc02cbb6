/**
 * One organization with 100,000 pending runs and 50 pollers that claim as fast as they are answered, beside 20
 * organizations with one poller each, all on one API and one database. What the 20 wait for a claim, from the poll to
 * its answer, against what they wait when the busy organization is silent; rounds of both take turns.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { type InProcessApp, openApp } from "./harness/app.ts";
import { atLeast, atMost, type Bench, type BenchContext, type BenchResult, rounded } from "./harness/bench.ts";
import { interleave, ratio, typical } from "./harness/rounds.ts";
import { insertStacks } from "./harness/rows.ts";
import { signer } from "./harness/runner.ts";
import {
  type BenchOrg,
  limitsText,
  seedOrg,
  seedPendingRuns,
  selectorOf,
  settle,
  WIDE_LIMITS,
} from "./harness/seed.ts";
import { type BenchDatabase, benchPostgres } from "./harness/servers.ts";
import { median, summary } from "./harness/statistics.ts";

const BACKLOG = 100_000;
const BUSY_POLLERS = 50;
const OTHERS = 20;
const ROUNDS = 10;
const WARM_UP = 2;
/** A p99 of 400 claims would be the fourth longest, which chance decides. */
const ROUND_MS = 4_000;
/** What one of the others does between two claims: it starts a runner. Its next poll comes this much later. */
const PAUSE_MS = 100;
/** More than one of the others can claim in a round. */
const OTHERS_PENDING = 80;

export const bench: Bench = {
  what: `claims of ${OTHERS} organizations beside one with ${BACKLOG} pending runs and ${BUSY_POLLERS} busy pollers`,
  run,
};

/** An organization with a backlog of runs, and a poll with its coordinator's token that must be answered with one. */
type Tenant = { claim(): Promise<void>; refill(): Promise<void> };

async function run(context: BenchContext): Promise<BenchResult> {
  context.say(limitsText(WIDE_LIMITS));
  const postgres = await benchPostgres(context);
  const database = await postgres.database("fairness");
  const app = await openApp(context, database);
  const busy = await tenant(database, app, 2_000, BACKLOG);
  const others: Tenant[] = [];
  for (let i = 0; i < OTHERS; i++) others.push(await tenant(database, app, 5, OTHERS_PENDING));
  await settle(database.sql, "stacks", "deployments", "runs", "stages");
  const busyRates: number[] = [];
  const refill = async () => {
    await endClaimed(database);
    for (const each of [busy, ...others]) await each.refill();
  };
  const besideBusy = async () => {
    const stop = new AbortController();
    const claiming = keepClaiming(busy, stop.signal);
    const samples = await claims(others);
    stop.abort();
    busyRates.push((await claiming) / (ROUND_MS / 1_000));
    await refill();
    return samples;
  };
  const alone = async () => {
    const samples = await claims(others);
    await refill();
    return samples;
  };
  const taken = await interleave({ alone, besideBusy }, { rounds: ROUNDS, warmUp: WARM_UP });
  for (const [name, rounds] of Object.entries(taken)) {
    const [p50, p99] = [typical(rounds, 0.5), typical(rounds, 0.99)];
    context.say(`${name.padEnd(10)} p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms`);
  }
  const busyRate = median(busyRates.slice(WARM_UP));
  context.say(`the busy organization claimed ${busyRate.toFixed(0)} runs/s meanwhile`);
  return {
    figures: {
      milliseconds: { alone: summary(taken.alone.flat()), beside_busy: summary(taken.besideBusy.flat()) },
      p50_beside_busy_to_alone: rounded(ratio(taken.besideBusy, taken.alone, 0.5)),
      busy_claims_per_second: rounded(busyRate),
      others_claims_per_round: median(taken.besideBusy.map((samples) => samples.length)),
    },
    bars: {
      p99_beside_busy_to_alone: atMost(ratio(taken.besideBusy, taken.alone, 0.99), 1.5),
      // Fairness must not come from holding the busy organization back.
      busy_claims_per_second: atLeast(busyRate, 50),
    },
  };
}

async function tenant(database: BenchDatabase, app: InProcessApp, stacks: number, backlog: number): Promise<Tenant> {
  const { sql } = database;
  const org = await seedOrg(sql, WIDE_LIMITS);
  const keys = (await insertStacks(sql, org.orgId, stacks)).map(({ stack_key }) => stack_key);
  const selectorId = await selectorOf(sql, org.orgId, {});
  let pending = 0;
  const refill = async () => {
    if (pending < backlog) await seedPendingRuns(sql, org.orgId, keys, [selectorId], backlog - pending);
    pending = backlog;
  };
  await refill();
  const init = { headers: { authorization: `Bearer ${await groupToken(org)}` } };
  return {
    refill,
    async claim() {
      const answer = await app.request("runner-groups/poll", init);
      const text = await answer.text();
      if (answer.status !== 200) throw new Error(`a poll was answered with ${answer.status}: ${text}`);
      pending--;
    },
  };
}

async function groupToken({ group }: BenchOrg): Promise<string> {
  return (await signer(group))({ token_type: "runner_group" });
}

/** One round of the others: each claims, pauses, and claims again. Milliseconds of each claim. */
async function claims(others: readonly Tenant[]): Promise<number[]> {
  const samples: number[] = [];
  const until = performance.now() + ROUND_MS;
  const poller = async ({ claim }: Tenant) => {
    await sleep(Math.random() * PAUSE_MS);
    while (performance.now() < until) {
      const from = performance.now();
      await claim();
      samples.push(performance.now() - from);
      await sleep(PAUSE_MS / 2 + Math.random() * PAUSE_MS);
    }
  };
  await Promise.all(others.map(poller));
  return samples;
}

/** How many runs the pollers claimed until they were stopped. */
async function keepClaiming({ claim }: Tenant, signal: AbortSignal): Promise<number> {
  let claimed = 0;
  const poller = async () => {
    while (!signal.aborted) {
      await claim();
      claimed++;
    }
  };
  await Promise.all(Array.from({ length: BUSY_POLLERS }, poller));
  return claimed;
}

/** End what was claimed, in bulk and by legal steps, so that no round finds its groups fuller than the one before. */
async function endClaimed({ sql }: BenchDatabase): Promise<void> {
  await sql`
    with ended as (
      update runs set status = 'cancelled', completed_at = svc_now(), assigned_expires_at = null
      where status = 'assigned'
      returning deployment_id
    ), stages as (
      update stages s set phase = 'cancelled', completed_at = svc_now() from ended e where s.deployment_id = e.deployment_id
    )
    update deployments d set status = 'cancelled', completed_at = svc_now() from ended e where d.id = e.deployment_id`;
  await sql`delete from outbox`;
}
