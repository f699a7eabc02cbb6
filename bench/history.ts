/**
 * Events and workflow tasks of plan, confirm, apply: the deployment's workflow and its two leases together; for a quiet
 * run and for one that writes much log and is asked for its status all the time.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { workflowIds } from "../workflows/ids.ts";
import { atMost, type Bench, type BenchContext, type BenchResult, exactly } from "./harness/bench.ts";
import { countHistory, type HistoryCount, openTemporalClient } from "./harness/histories.ts";
import { type Product, startProduct } from "./harness/product.ts";
import { COMMIT, insertStacks } from "./harness/rows.ts";
import { APPLIED, CHANGES, claimNext } from "./harness/runner.ts";
import { median } from "./harness/statistics.ts";
import { until } from "./harness/until.ts";

const REPEATS = 5;
const LOG_CHUNKS = 10;
const HEARTBEATS = 50;
/**
 * Each run lasts this long, so that every message finds its workflow idle and costs a task of its own: messages that come
 * together share one, which would flatter the figure.
 */
const RUN_MS = 600;

export const bench: Bench = {
  what: "events and workflow tasks of one deployment from plan to applied, with and without much log and many heartbeats",
  run,
};

async function run(context: BenchContext): Promise<BenchResult> {
  // Liveness is written on every tenth part of the shorter timeout; a short one makes each heartbeat of the busy run count.
  const product = await startProduct(context, { env: { RUNNER_EXECUTION_TIMEOUT: "PT1M" } });
  const client = await openTemporalClient(context, product);
  const stacks = await insertStacks(product.sql, product.org.orgId, REPEATS * 2);
  const measure = async (slug: string, busy: boolean) => {
    const ids = await planConfirmApply(product, slug, busy);
    const counted = await Promise.all(ids.map((id) => countHistory(client, id)));
    return { ids, counted, total: totalOf(counted) };
  };
  const quiet: Awaited<ReturnType<typeof measure>>[] = [];
  const busy: typeof quiet = [];
  for (let i = 0; i < REPEATS; i++) {
    quiet.push(await measure(stacks[i * 2]?.slug ?? "", false));
    busy.push(await measure(stacks[i * 2 + 1]?.slug ?? "", true));
  }
  const first = quiet[0];
  first?.counted.forEach(({ names }, i) => void context.say(`${first.ids[i]?.split("/")[0]}: ${names.join(", ")}`));
  const most = (of: typeof quiet, what: "events" | "workflowTasks") => Math.max(...of.map(({ total }) => total[what]));
  const middle = (of: typeof quiet) => median(of.map(({ total }) => total.events));
  return {
    figures: {
      quiet: quiet.map(({ total }) => [total.events, total.workflowTasks]),
      busy: busy.map(({ total }) => [total.events, total.workflowTasks]),
      log_chunks_and_heartbeats_of_a_busy_run: [LOG_CHUNKS, HEARTBEATS],
    },
    bars: {
      events: atMost(most(quiet, "events"), 72),
      workflow_tasks: atMost(most(quiet, "workflowTasks"), 10),
      busy_events: atMost(most(busy, "events"), 72),
      busy_workflow_tasks: atMost(most(busy, "workflowTasks"), 10),
      events_added_by_log_and_heartbeats: exactly(Math.max(0, middle(busy) - middle(quiet)), 0),
    },
  };
}

function totalOf(counted: HistoryCount[]): { events: number; workflowTasks: number } {
  return {
    events: counted.reduce((sum, { events }) => sum + events, 0),
    workflowTasks: counted.reduce((sum, { workflowTasks }) => sum + workflowTasks, 0),
  };
}

/** Returns the ids of the deployment's workflow and of its leases. */
async function planConfirmApply(product: Product, slug: string, busy: boolean): Promise<string[]> {
  const { person, fleet } = product;
  const { id } = await person.create(slug, { mode: "plan", commit_sha: COMMIT });
  const plan = await claimNext(fleet);
  await executeRun(product, plan, busy);
  await until("the plan to wait for a person", 10_000, async () => (await person.read(slug, id)).status === "waiting");
  // A person looks at the plan first.
  await sleep(RUN_MS);
  await person.decide(slug, id, "confirm", { action: "apply", plan_run_id: plan.run_id });
  const apply = await claimNext(fleet);
  await executeRun(product, apply, busy);
  return [workflowIds.deployment(id), workflowIds.lease(plan.run_id), workflowIds.lease(apply.run_id)];
}

async function executeRun(
  { fleet }: Product,
  claim: Awaited<ReturnType<typeof claimNext>>,
  busy: boolean,
): Promise<void> {
  const runner = await fleet.runner(claim);
  await runner.ready();
  const { run, limits } = await runner.accept();
  const lasted = sleep(RUN_MS);
  const line = Buffer.from("a line of the engine's output, much like the one before it\n".repeat(20));
  for (let chunk = 0; busy && chunk < LOG_CHUNKS; chunk++) {
    await runner.pushLive(chunk, chunk, gzipSync(line).toString("base64"));
    await runner.sealChunk(chunk, new Uint8Array(Buffer.alloc(limits.log_chunk_bytes, line)));
  }
  for (let i = 0; busy && i < HEARTBEATS; i++) await runner.status();
  if (run.kind === "plan_run") await runner.putArtifact("plan", await fleet.planFile());
  await lasted;
  await runner.done(run.kind === "plan_run" ? CHANGES : APPLIED);
}
