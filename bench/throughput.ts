/**
 * Deployments that plan and apply by themselves, with simulated runners over HTTP, everything on this machine: runs per
 * minute against no-op workflows on the same server, as many and with as many workflow tasks as the deployments of the same
 * round really took. A round ends when its last workflow has closed. The no-op workflows have no database, no HTTP and no
 * runner beside them, which is what the ratio is about.
 */
import type { Client } from "@temporalio/client";
import { v7 as uuidv7 } from "uuid";
import type { PollAnswer } from "../src/core/runs/protocol.ts";
import { workflowIds } from "../workflows/ids.ts";
import { startBaselineWorker, TASK_QUEUE } from "./harness/baselineWorker.ts";
import { atLeast, type Bench, type BenchContext, type BenchResult, rounded } from "./harness/bench.ts";
import { countHistory, openTemporalClient } from "./harness/histories.ts";
import { type Product, startProduct } from "./harness/product.ts";
import { COMMIT, insertStacks } from "./harness/rows.ts";
import { APPLIED, CHANGES } from "./harness/runner.ts";
import { median } from "./harness/statistics.ts";

const ROUNDS = 6;
const WARM_UP = 2;
const DEPLOYMENTS = 40;
const RUNNERS = 10;
const AT_ONCE = 10;
const RUNS_EACH = 2;
/** A deployment's workflow and the leases of its two runs. */
const WORKFLOWS_EACH = 1 + RUNS_EACH;
const PEER_RUNS_PER_MINUTE = [660, 920];

export const bench: Bench = {
  what: "plan and auto-apply runs per minute, against no-op workflows with as many workflow tasks on the same server",
  run,
};

type Round = { product: number; bare: number; tasks: number };

async function run(context: BenchContext): Promise<BenchResult> {
  const product = await startProduct(context);
  const client = await openTemporalClient(context, product);
  await startBaselineWorker(context, product);
  const stopping = new AbortController();
  const runners = Promise.all(Array.from({ length: RUNNERS }, () => executeAll(product, stopping.signal)));
  context.closers.add(async () => {
    stopping.abort();
    await runners.catch(() => {});
  });
  // A runner that fails ends the bench; none ends before.
  const rounds = (await Promise.race([takeRounds(context, product, client), runners])) as Round[];
  const middle = (of: (round: Round) => number) => rounded(median(rounds.map(of)));
  return {
    figures: {
      runs_per_minute: middle((round) => round.product),
      runs_per_minute_as_no_op_workflows: middle((round) => round.bare),
      workflow_tasks_per_deployment: middle((round) => round.tasks),
      best_peer_runs_per_minute: PEER_RUNS_PER_MINUTE,
      deployments_per_round: DEPLOYMENTS,
      runners: RUNNERS,
    },
    bars: { to_no_op_workflows: atLeast(median(rounds.map((round) => round.product / round.bare)), 0.6) },
  };
}

async function takeRounds(context: BenchContext, product: Product, client: Client): Promise<Round[]> {
  const stacks = await insertStacks(product.sql, product.org.orgId, DEPLOYMENTS, { auto_approve_mode: "auto" });
  const slugs = stacks.map(({ slug }) => slug);
  const rounds: Round[] = [];
  for (let i = 0; i < WARM_UP + ROUNDS; i++) {
    const made: string[][] = [];
    const productMs = await milliseconds(async () => made.push(...(await deployments(product, client, slugs))));
    const tasks = await workflowTasks(client, made.flat());
    const bareMs = await milliseconds(() => noOps(client, tasks));
    const round = { product: perMinute(productMs), bare: perMinute(bareMs), tasks: tasks / DEPLOYMENTS };
    if (i >= WARM_UP) rounds.push(round);
    const figures = `${round.product.toFixed(0)} runs/min, ${round.bare.toFixed(0)} as no-op workflows`;
    context.say(`${i < WARM_UP ? "warming up: " : ""}${figures}, ${round.tasks.toFixed(1)} workflow tasks each`);
  }
  return rounds;
}

function perMinute(ms: number): number {
  return (DEPLOYMENTS * RUNS_EACH * 60_000) / ms;
}

async function milliseconds(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}

/** One runner machine: it executes whatever comes, at once. */
async function executeAll({ fleet }: Product, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      const { assignment } = await fleet.group.poll(20, signal);
      if (assignment !== null) await execute(fleet, assignment);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }
}

async function execute(fleet: Product["fleet"], claim: PollAnswer): Promise<void> {
  const runner = await fleet.runner(claim);
  await runner.ready();
  const { run } = await runner.accept();
  if (run.kind === "plan_run") await runner.putArtifact("plan", await fleet.planFile());
  await runner.done(run.kind === "plan_run" ? CHANGES : APPLIED);
}

/** Create a deployment of each stack and wait until its workflows have closed. The ids of the workflows of each. */
async function deployments({ person, sql }: Product, client: Client, slugs: readonly string[]): Promise<string[][]> {
  const made: string[] = [];
  await eachAtOnce(slugs, async (slug) => {
    const { id } = await person.create(slug, { mode: "plan", commit_sha: COMMIT });
    made.push(id);
  });
  await eachAtOnce(made, async (id) => void (await client.workflow.getHandle(workflowIds.deployment(id)).result()));
  const rows = await sql<{ status: string; runs: string[] }[]>`
    select d.status, array_agg(r.id) as runs from deployments d join runs r on r.deployment_id = d.id
    where d.id = any(${made}) and r.status = 'success' group by d.id, d.status`;
  const good = rows.filter(({ status, runs }) => status === "finished" && runs.length === RUNS_EACH);
  if (good.length !== slugs.length) throw new Error(`${good.length} of ${slugs.length} were applied`);
  const leases = rows.map(({ runs }) => runs.map((id) => workflowIds.lease(id)));
  await eachAtOnce(leases.flat(), async (id) => void (await client.workflow.getHandle(id).result()));
  return [made.map((id) => workflowIds.deployment(id)), ...leases];
}

async function workflowTasks(client: Client, ids: readonly string[]): Promise<number> {
  let tasks = 0;
  await eachAtOnce(ids, async (id) => {
    const { workflowTasks } = await countHistory(client, id);
    tasks += workflowTasks;
  });
  return tasks;
}

/** As many workflows as the deployments had, with as many workflow tasks in all. */
async function noOps(client: Client, tasks: number): Promise<void> {
  const count = DEPLOYMENTS * WORKFLOWS_EACH;
  const share = Array.from(
    { length: count },
    (_, i) => Math.floor(((i + 1) * tasks) / count) - Math.floor((i * tasks) / count),
  );
  const handles: { result(): Promise<unknown> }[] = [];
  await eachAtOnce(share, async (steps) => {
    const options = { taskQueue: TASK_QUEUE, workflowId: `baseline/${uuidv7()}`, args: [steps] };
    handles.push(await client.workflow.start("steps", options));
  });
  await eachAtOnce(handles, async (handle) => void (await handle.result()));
}

async function eachAtOnce<T>(of: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < of.length) await work(of[next++] as T);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}
