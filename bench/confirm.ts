/**
 * A person's confirm, the whole HTTP request from send to answer, against a bare Update with one empty local activity
 * sent to an idle workflow on the same server. Both workflows were started moments before and are in their worker's
 * cache; both workers are processes of their own.
 */
import type { Client } from "@temporalio/client";
import { v7 as uuidv7 } from "uuid";
import { startBaselineWorker, TASK_QUEUE } from "./harness/baselineWorker.ts";
import { atMost, type Bench, type BenchContext, type BenchResult } from "./harness/bench.ts";
import { openTemporalClient } from "./harness/histories.ts";
import { type Product, startProduct } from "./harness/product.ts";
import { interleave, ratio, timed } from "./harness/rounds.ts";
import { COMMIT, insertStacks } from "./harness/rows.ts";
import { CHANGES, claimNext, execute } from "./harness/runner.ts";
import { summary } from "./harness/statistics.ts";
import { until } from "./harness/until.ts";

const ROUNDS = 12;
const CONFIRMS = 15;
/**
 * Rounds before the measuring: the code of a program that has just started is slow until it was run a few dozen times.
 */
const WARM_UP = 4;

export const bench: Bench = {
  what: "a confirm from request to answer, against an Update with one empty local activity on the same server",
  run,
};

async function run(context: BenchContext): Promise<BenchResult> {
  const product = await startProduct(context);
  const client = await openTemporalClient(context, product);
  await startBaselineWorker(context, product);
  const stacks = await insertStacks(product.sql, product.org.orgId, (ROUNDS + WARM_UP) * CONFIRMS);
  const slugs = stacks.map(({ slug }) => slug);
  const taken = await interleave(
    { confirm: () => confirms(product, slugs.splice(0, CONFIRMS)), update: () => updates(client) },
    { rounds: ROUNDS, warmUp: WARM_UP },
  );
  const figures = { confirm: summary(taken.confirm.flat()), update: summary(taken.update.flat()) };
  for (const [name, { p50, p99 }] of Object.entries(figures))
    context.say(`${name.padEnd(8)} p50 ${p50} ms, p99 ${p99} ms`);
  return {
    figures: { milliseconds: figures },
    bars: { confirm_p50_to_update: atMost(ratio(taken.confirm, taken.update, 0.5), 2) },
  };
}

/** Plans that wait for a person, confirmed one after the other. */
async function confirms({ person, fleet, sql }: Product, slugs: readonly string[]): Promise<number[]> {
  const waiting: { slug: string; id: string; plan: string }[] = [];
  for (const slug of slugs) {
    const { id } = await person.create(slug, { mode: "plan", commit_sha: COMMIT });
    const claim = await claimNext(fleet);
    await execute(fleet, claim, CHANGES);
    waiting.push({ slug, id, plan: claim.run_id });
  }
  await until("the workflows to be idle", 10_000, async () => {
    const [outbox] = await sql`select count(*)::int as n from outbox`;
    return outbox?.n === 0;
  });
  const samples = await timed(waiting.length, async (i) => {
    const { slug, id, plan } = waiting[i] as (typeof waiting)[number];
    await person.decide(slug, id, "confirm", { action: "apply", plan_run_id: plan });
  });
  // The apply runs would wait for a runner: end them, so that the next round's plans come first.
  for (let left = waiting.length; left > 0; left--) {
    const claim = await claimNext(fleet);
    await fleet.group.dispatchFailed(claim, "the bench is not interested in applies");
  }
  return samples;
}

async function updates(client: Client): Promise<number[]> {
  const started = await Promise.all(
    Array.from({ length: CONFIRMS }, () =>
      client.workflow.start("idle", { taskQueue: TASK_QUEUE, workflowId: `baseline/${uuidv7()}` }),
    ),
  );
  await Promise.all(started.map((handle) => until("the baseline to be idle", 20_000, () => isIdle(handle))));
  return timed(started.length, async (i) => void (await started[i]?.executeUpdate("nothing")));
}

/** Its first task is done: the timer is in its history. */
async function isIdle(handle: Awaited<ReturnType<Client["workflow"]["start"]>>): Promise<boolean> {
  return (await handle.describe()).historyLength >= 5;
}
