/** Stores what becomes of a run, and runs that begin. */
import { sql } from "drizzle-orm";
import type { SqlRow } from "../../platform/db/sqlRow.ts";
import { currentTraceparent } from "../../platform/telemetry/traceContext.ts";
import type { Work } from "../../work/unitOfWork.ts";
import { isPlanStyle, isRunTerminal } from "../runs/lifecycle.ts";
import type { runs } from "../runs/schema.ts";
import type { NewRun, RunChange } from "./change.ts";
import type { Lane } from "./lane.ts";

export async function writeRun({ tx, pendingSelectors }: Work, lane: Lane, run: RunChange): Promise<void> {
  const ended = isRunTerminal(run.to);
  const rows = await tx.execute(sql`
    with written as (
      update runs set
        status = ${run.to},
        started_at = ${run.to === "running" ? sql`${lane.now}::timestamptz` : sql`started_at`},
        first_pending_at = ${run.to === "pending" ? sql`coalesce(first_pending_at, ${lane.now}::timestamptz)` : sql`first_pending_at`},
        assigned_expires_at = null,
        cancel_requested_at = ${run.to === "requested_cancellation" ? sql`${lane.now}::timestamptz` : sql`cancel_requested_at`},
        completed_at = ${ended ? lane.now : null}::timestamptz,
        assignment_attempts = assignment_attempts + ${run.addAttempts ?? 0}::int,
        exit_code = coalesce(${run.exitCode ?? null}::int, exit_code),
        error = coalesce(${run.error ?? null}::text, error),
        plan_summary = coalesce(${run.planSummary ? JSON.stringify(run.planSummary) : null}::jsonb, plan_summary),
        drift = coalesce(${run.drift ? JSON.stringify(run.drift) : null}::jsonb, drift),
        plan_sha256 = coalesce(${run.planSha256 ?? null}::text, plan_sha256),
        tree_sha256 = coalesce(${run.treeSha256 ?? null}::text, tree_sha256),
        done_sha256 = coalesce(${run.doneSha256 ?? null}::text, done_sha256),
        state_token_hash = ${ended ? null : sql`coalesce(${run.stateTokenHash ?? null}::bytea, state_token_hash)`}
      where id = ${run.id} and status = ${run.from}
      returning id
    ), runner as (
      update runners set status = ${run.runner?.status ?? "gone"}, last_seen_at = ${lane.now}::timestamptz
      where id = ${run.runner?.id ?? null}::uuid
    ), unlocked as (
      -- The lock of a state ends with the run that holds it.
      update stack_states s set lock_id = null, lock_info = null, locked_at = null, lock_run_id = null
      from written w where ${ended} and s.lock_run_id = w.id
    ), seen as (
      insert into run_liveness (run_id, last_seen_at)
      select id, ${lane.now}::timestamptz from written where ${run.to === "running"}
      on conflict (run_id) do update set last_seen_at = excluded.last_seen_at
    )
    select id from written`);
  assertOne(rows.length, "run", run.id);
  const selector = lane.runs.find(({ id }) => id === run.id)?.selector_id;
  if (run.to === "pending" && selector !== undefined) pendingSelectors.add(selector);
}

/** Insert a run with the stack's selector of this moment, and inherit the deployment's priority. */
export async function insertRun(
  work: Work,
  lane: Pick<Lane, "now" | "stack" | "deployment">,
  run: NewRun,
  status: "queued" | "pending",
): Promise<string> {
  const [row] = await work.tx.execute<SqlRow<typeof runs, "id" | "selector_id">>(sql`
    insert into runs (org_id, deployment_id, kind, status, selector_id, state_locked, plan_run_id, targets, excludes,
      replaces, prioritized_at, created_at, first_pending_at, traceparent, needs_wall, background)
    values (${lane.deployment.org_id}, ${lane.deployment.id}, ${run.kind}, ${status},
      ensure_selector(${lane.deployment.org_id}::uuid, ${selectorOf(lane)}),
      ${!isPlanStyle(run.kind)}, ${run.planRunId ?? null}::uuid,
      ${textArray(run.targets)}, ${textArray(run.excludes)}, ${textArray(run.replaces)},
      ${lane.deployment.prioritized_at}::timestamptz, ${lane.now}::timestamptz,
      ${status === "pending" ? lane.now : null}::timestamptz, ${currentTraceparent()}::text, ${needsWall(lane.deployment)},
      ${lane.deployment.mode === "drift"})
    returning id, selector_id`);
  if (!row) throw new Error("insert returned no run");
  if (status === "pending") work.pendingSelectors.add(row.selector_id);
  return row.id;
}

/** A preview may go to runners of its own, and a fork's preview to others again. */
function selectorOf({ stack, deployment }: Pick<Lane, "stack" | "deployment">) {
  const own = sql`runner_selector_of(${JSON.stringify(stack.labels)}::jsonb)`;
  if (deployment.mode !== "plan_unlocked") return own;
  const preview = stack.preview_runner_labels;
  const chosen = needsWall(deployment) ? (stack.fork_runner_labels ?? preview) : preview;
  return chosen === null ? own : sql`${JSON.stringify(chosen)}::jsonb`;
}

/** A preview of code that nobody with a right to the repository is known to have put there. */
function needsWall({ mode, provenance }: Pick<Lane["deployment"], "mode" | "provenance">): boolean {
  return mode === "plan_unlocked" && (provenance === "fork" || provenance === "foreign");
}

function textArray(values: string[] = []) {
  return sql`array(select jsonb_array_elements_text(${JSON.stringify(values)}::jsonb))`;
}

/** @throws when a compare-and-set met another row than its lane was read with. */
export function assertOne(written: number, what: string, id: string): void {
  if (written !== 1) throw new Error(`${what} ${id} changed under its lock`);
}
