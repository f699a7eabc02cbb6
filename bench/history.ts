/**
 * Events and workflow tasks of a deployment: its workflow and its two leases together. Plan, confirm, apply; the same
 * with runs that write much log and are asked for their status all the time; and one that applies by itself, in which
 * nothing has to wake.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { workflowIds } from "../workflows/ids.ts";
import { atMost, type Bench, type BenchContext, type BenchResult, exactly } from "./harness/bench.ts";
import { CODE_HOST_ENV, integrateHost, openCodeHost } from "./harness/codeHost.ts";
import { countHistory, type HistoryCount, openTemporalClient } from "./harness/histories.ts";
import { type Product, startProduct } from "./harness/product.ts";
import { COMMIT, insertStacks, type StackRow } from "./harness/rows.ts";
import { APPLIED, CHANGES, claimNext } from "./harness/runner.ts";
import { median } from "./harness/statistics.ts";
import { until } from "./harness/until.ts";

const REPEATS = 5;
const LOG_CHUNKS = 10;
const HEARTBEATS = 50;
/**
 * Each run lasts this long, so that every message finds its workflow idle and costs a task of its own: messages that
 * come together share one, which would flatter the figure.
 */
const RUN_MS = 600;

export const bench: Bench = {
  what: "events and workflow tasks from plan to applied: confirmed, with much log and many heartbeats, and by itself",
  run,
};

async function run(context: BenchContext): Promise<BenchResult> {
  // Liveness is written on every tenth part of the shorter timeout; a short one makes each heartbeat of the busy run
  // count.
  const product = await startProduct(context, {
    env: { RUNNER_EXECUTION_TIMEOUT: "PT1M", ...CODE_HOST_ENV },
  });
  const client = await openTemporalClient(context, product);
  const { sql, org } = product;
  const { url, repositoryUrl: repository_url } = await openCodeHost(context);
  await integrateHost(product.person, url);
  const confirmed = await insertStacks(sql, org.orgId, REPEATS * 2);
  const automatic = await insertStacks(sql, org.orgId, REPEATS, {
    auto_approve_mode: "auto",
    repository_url,
  });
  const measure = async (stack: StackRow | undefined, how: How): Promise<Measured> => {
    const ids = await planToApplied(product, stack?.slug ?? "", how);
    const counted = await Promise.all(ids.map((id) => countHistory(client, id)));
    return { ids, counted, total: totalOf(counted) };
  };
  const [quiet, busy, alone]: [Measured[], Measured[], Measured[]] = [[], [], []];
  for (let i = 0; i < REPEATS; i++) {
    quiet.push(await measure(confirmed[i * 2], { busy: false, confirm: true }));
    busy.push(await measure(confirmed[i * 2 + 1], { busy: true, confirm: true }));
    alone.push(await measure(automatic[i], { busy: false, confirm: false }));
  }
  for (const one of [quiet[0], alone[0]])
    one?.counted.forEach(({ names }, i) => void context.say(`${one.ids[i]?.split("/")[0]}: ${names.join(", ")}`));
  const most = (of: Measured[], what: "events" | "workflowTasks") => Math.max(...of.map(({ total }) => total[what]));
  const middle = (of: Measured[]) => median(of.map(({ total }) => total.events));
  return {
    figures: {
      quiet: quiet.map(({ total }) => [total.events, total.workflowTasks]),
      busy: busy.map(({ total }) => [total.events, total.workflowTasks]),
      by_itself: alone.map(({ total }) => [total.events, total.workflowTasks]),
      log_chunks_and_heartbeats_of_a_busy_run: [LOG_CHUNKS, HEARTBEATS],
    },
    bars: {
      events: atMost(most(quiet, "events"), 32),
      workflow_tasks: atMost(most(quiet, "workflowTasks"), 3),
      busy_events: atMost(most(busy, "events"), 32),
      busy_workflow_tasks: atMost(most(busy, "workflowTasks"), 3),
      by_itself_events: atMost(most(alone, "events"), 12),
      by_itself_workflow_tasks: exactly(most(alone, "workflowTasks"), 0),
      events_added_by_log_and_heartbeats: exactly(Math.max(0, middle(busy) - middle(quiet)), 0),
    },
  };
}

/** Whether its runs write much log and send many heartbeats, and whether a person confirms. */
type How = { busy: boolean; confirm: boolean };
type Measured = { ids: string[]; counted: HistoryCount[]; total: { events: number; workflowTasks: number } };

function totalOf(counted: HistoryCount[]): { events: number; workflowTasks: number } {
  return {
    events: counted.reduce((sum, { events }) => sum + events, 0),
    workflowTasks: counted.reduce((sum, { workflowTasks }) => sum + workflowTasks, 0),
  };
}

/** Returns the ids of the deployment's workflow and of its leases. */
async function planToApplied(product: Product, slug: string, { busy, confirm }: How): Promise<string[]> {
  const { person, fleet } = product;
  const { id } = await person.create(slug, confirm ? { mode: "plan", commit_sha: COMMIT } : { mode: "plan" });
  const plan = await claimNext(fleet);
  await executeRun(product, plan, busy);
  if (confirm) {
    await until(
      "the plan to wait for a person",
      10_000,
      async () => (await person.read(slug, id)).status === "waiting",
    );
    // A person looks at the plan first.
    await sleep(RUN_MS);
    await person.decide(slug, id, "confirm", { action: "apply", plan_run_id: plan.run_id });
  }
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
