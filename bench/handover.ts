/**
 * From the end of a stack's lane holder, by its runner's `done` or by a person's skip, to the answer of a waiting poll
 * with the next deployment's run; with one deployment in the queue and with 10,000. The time counts from the promotion
 * inside the ending transaction, just before its commit, to the answer at the poller; both by the clock of this
 * machine.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type postgres from "postgres";
import type { PollAnswer } from "../src/core/runs/protocol.ts";
import { atMost, type Bench, type BenchContext, type BenchResult } from "./harness/bench.ts";
import { openTemporalClient } from "./harness/histories.ts";
import { openLane } from "./harness/lane.ts";
import { type Product, startProduct } from "./harness/product.ts";
import { interleave, ratio } from "./harness/rounds.ts";
import { COMMIT, type StackRow } from "./harness/rows.ts";
import { CHANGES, claimNext, execute, FAILED, type Fleet } from "./harness/runner.ts";
import { settle } from "./harness/seed.ts";
import { summary } from "./harness/statistics.ts";
import { until } from "./harness/until.ts";

const DEEP = 10_000;
const ROUNDS = 8;
const WARM_UP = 2;
const HANDOVERS = 10;
/** A poll has taken its seat after this long, and what the last hand-over set off has settled. */
const SETTLE_MS = 60;

export const bench: Bench = {
  what: `from done or skip to the next deployment's run at a waiting poll, 1 and ${DEEP} deep in the queue`,
  run,
};

async function run(context: BenchContext): Promise<BenchResult> {
  const product = await startProduct(context);
  const { sql } = product;
  await pauseReconciler(context, product);
  const shallow = await oneStack(context, product, "shallow");
  const deep = await oneStack(context, product, "deep");
  await queueUp(sql, deep, DEEP);
  await settle(sql, "deployments", "runs", "stages");
  const taken = await interleave(
    {
      doneShallow: () => handOvers(product, shallow, "done", 1),
      doneDeep: () => handOvers(product, deep, "done", 0),
      skipShallow: () => handOvers(product, shallow, "skip", 1),
      skipDeep: () => handOvers(product, deep, "skip", 0),
    },
    { rounds: ROUNDS, warmUp: WARM_UP },
  );
  const figures = Object.fromEntries(Object.entries(taken).map(([name, rounds]) => [name, summary(rounds.flat())]));
  for (const [name, { p50, p99 }] of Object.entries(figures)) {
    context.say(`${name.padEnd(12)} p50 ${p50} ms, p99 ${p99} ms`);
  }
  const p50 = (name: string) => figures[name]?.p50 ?? Number.NaN;
  return {
    figures: { milliseconds: figures },
    bars: {
      done_p50_ms: atMost(Math.max(p50("doneShallow"), p50("doneDeep")), 25),
      skip_p50_ms: atMost(Math.max(p50("skipShallow"), p50("skipDeep")), 25),
      done_deep_to_shallow: atMost(ratio(taken.doneDeep, taken.doneShallow, 0.5), 1.5),
      skip_deep_to_shallow: atMost(ratio(taken.skipDeep, taken.skipShallow, 0.5), 1.5),
    },
  };
}

/**
 * The seeded queue has no workflows, which is not what is measured: wait for the pass that every boot begins with, and
 * let none come later.
 */
async function pauseReconciler(context: BenchContext, product: Product): Promise<void> {
  const client = await openTemporalClient(context, product);
  await until("the first reconciler pass", 30_000, async () => {
    const rows = await product.sql`select 1 from temporal_identity`;
    return rows.length > 0;
  });
  await client.schedule.getHandle("schedule/reconciler").pause("seeded deployments have no workflows");
}

type Lane = StackRow & { fleet: Fleet };

/** One stack whose runs go to a group of its own. */
async function oneStack(context: BenchContext, product: Product, pool: string): Promise<Lane> {
  const { stacks, fleet } = await openLane(context, product, pool, 1);
  return { ...(stacks[0] as StackRow), fleet };
}

/** `count` queued deployments of the stack, each with its run; the first becomes the lane's holder when it is free. */
async function queueUp(sql: postgres.Sql, { stack_key }: StackRow, count: number): Promise<void> {
  await sql`
    with numbered as (
      select uuidv7() as deployment_id, uuidv7() as run_id, s.org_id, s.stack_key, s.repository_url, s.branch,
        ensure_selector(s.org_id, runner_selector_of(s.labels)) as selector_id, svc_now() + i * interval '1 microsecond' as at
      from stacks s, generate_series(1, ${count}) i where s.stack_key = ${stack_key}
    ), d as (
      insert into deployments (id, org_id, stack_key, mode, status, repository_url, branch, working_directory, tool,
        commit_sha, provenance, created_at)
      select deployment_id, org_id, stack_key, 'plan', 'queued', repository_url, branch, '.', 'terraform', ${COMMIT}, 'branch', at
      from numbered
    ), r as (
      insert into runs (id, org_id, deployment_id, kind, status, selector_id, state_locked, created_at)
      select run_id, org_id, deployment_id, 'plan_run', 'queued', selector_id, false, at from numbered
    )
    insert into stages (deployment_id, position, kind, phase, run_id, created_at)
    select deployment_id, 1, 'plan_run', 'running', run_id, at from numbered`;
}

/** Hand the lane over again and again. @param refill deployments that join the queue before each, to keep its depth */
async function handOvers(product: Product, lane: Lane, by: "done" | "skip", refill: number): Promise<number[]> {
  const { fleet } = lane;
  const samples: number[] = [];
  let claim = await takeLane(product, lane);
  for (let i = 0; i < HANDOVERS; i++) {
    if (refill > 0) await queueUp(product.sql, lane, refill);
    const runner = await fleet.runner(claim);
    // Planned and waiting for a person, or still at work.
    if (by === "skip") await execute(fleet, claim, CHANGES);
    else await runner.accept();
    const next = claimNext(fleet).then((answer) => ({ answer, at: Date.now() }));
    await sleep(SETTLE_MS);
    if (by === "skip") await product.person.decide(lane.slug, await deploymentOf(product, claim), "skip");
    else await runner.done(FAILED);
    const { answer, at } = await next;
    samples.push(at - (await pendingSince(product, answer)));
    claim = answer;
  }
  await fleet.group.dispatchFailed(claim, "the bench is done with this stack for now");
  return samples;
}

/** Claim the run of the stack's holder. A free lane is taken by a creation, which promotes the first in the queue. */
async function takeLane({ person, sql }: Product, { slug, stack_key, fleet }: Lane): Promise<PollAnswer> {
  const held = await sql`select 1 from deployments where stack_key = ${stack_key} and status = 'pending'`;
  if (held.length === 0) await person.create(slug, { mode: "plan", commit_sha: COMMIT });
  return claimNext(fleet);
}

async function deploymentOf({ sql }: Product, { run_id }: PollAnswer): Promise<string> {
  const [row] = await sql`select deployment_id from runs where id = ${run_id}`;
  return row?.deployment_id as string;
}

async function pendingSince({ sql }: Product, { run_id }: PollAnswer): Promise<number> {
  const [row] =
    await sql`select extract(epoch from first_pending_at)::float8 * 1000 as at from runs where id = ${run_id}`;
  return row?.at as number;
}
