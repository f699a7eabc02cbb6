/** Stores a decided change: every row by compare-and-set, the projection, the log rows and the messages together. */
import { sql } from "drizzle-orm";
import type { SqlRow } from "../../platform/db/sqlRow.ts";
import { currentTraceparent } from "../../platform/telemetry/traceContext.ts";
import type { DomainEvent } from "../../work/domainEvent.ts";
import { publish } from "../../work/publish.ts";
import type { Work } from "../../work/unitOfWork.ts";
import { isPlanStyle, isRunTerminal } from "../runs/lifecycle.ts";
import type { runs } from "../runs/schema.ts";
import { repositoryHash } from "../stacks/previewName.ts";
import { repositoryKey } from "../stacks/repositoryUrl.ts";
import { auditLines } from "./auditLines.ts";
import type { Change, NewRun, RunChange } from "./change.ts";
import { commandExecuted } from "./commandExecuted.ts";
import { hasDependents } from "./hasDependents.ts";
import { currentStage, type Lane, type LaneDeployment } from "./lane.ts";
import { freesLane, isTerminal } from "./lifecycle.ts";
import { promoteNext } from "./promoteNext.ts";
import { forSleepers } from "./sleepers.ts";
import { unreadAnalyses } from "./unreadAnalyses.ts";

/**
 * Write `change` to the locked `lane`. When a lane holder becomes terminal the lane passes on in this same transaction.
 * @throws when a row is not in the status the lane was read in, which the locks make impossible: a bug, never a conflict.
 */
export async function writeChange(work: Work, lane: Lane, change: Change): Promise<void> {
  if (change.run) await writeRun(work, lane, change.run);
  if (change.stage || change.open) await writeStages(work, lane, change);
  const dependents = change.deployment ? await writeDeployment(work, lane, change.deployment) : false;
  await writeLog(work, lane, dependents ? withDependents(change) : change);
  const { run } = change;
  for (const event of [change.beside, commandExecuted(lane, change)]) {
    if (event) await writeLog(work, lane, { event, ...(run && { run }) });
  }
  work.messages.push(...forSleepers(lane, change));
  if (change.deployment && freesLane(lane.deployment, change.deployment.to)) {
    await promoteNext(work, lane.stack.stack_key);
  }
}

/** What an apply's end says besides: that something depends on the stack. */
function withDependents({ event, ...change }: Change): Change {
  return { ...change, event: { ...event, data: { ...event.data, dependents: true } } };
}

/**
 * An apply that succeeded fixes the time as of which its dependents are looked at. Most stacks have none, and then that is all
 * there is to say about them, unless what could make one of another stack is still to be read. Returns whether there are some.
 */
async function writeDeployment({ tx }: Work, lane: Lane, to: NonNullable<Change["deployment"]>): Promise<boolean> {
  const { id, status, stack_key } = lane.deployment;
  const applied = to.applied === true;
  const rows = await tx.execute<{ dependents: boolean }>(sql`
    with written as (
      update deployments set
        status = ${to.to},
        waiting_since = ${to.to === "waiting" ? lane.now : null}::timestamptz,
        cancel_requested_at = ${to.to === "requested_cancellation" ? sql`coalesce(cancel_requested_at, ${lane.now}::timestamptz)` : sql`cancel_requested_at`},
        completed_at = ${isTerminal(to.to) ? lane.now : null}::timestamptz,
        skipped_reason = ${to.skippedReason ?? null}::text,
        error = ${to.error ?? null}::text,
        dependents_snapshot_at = ${applied ? lane.now : null}::timestamptz,
        dependents_resolved_at = ${applied ? sql`case when not (${hasDependents(lane.stack)} or ${unreadAnalyses(lane.stack, lane.now)}) then ${lane.now}::timestamptz end` : sql`null`}
      where id = ${id} and status = ${status}
      returning id, status, completed_at, dependents_snapshot_at is not null and dependents_resolved_at is null as dependents
    ), projected as (
      update stacks s set latest_deployment_status = w.status, latest_deployment_completed_at = w.completed_at
      from written w where s.stack_key = ${stack_key} and s.latest_deployment_id = w.id
    )
    select dependents from written`);
  assertOne(rows.length, "deployment", id);
  return rows[0]?.dependents === true;
}

async function writeRun({ tx, pendingSelectors }: Work, lane: Lane, run: RunChange): Promise<void> {
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
        plan_sha256 = coalesce(${run.planSha256 ?? null}::text, plan_sha256),
        done_sha256 = coalesce(${run.doneSha256 ?? null}::text, done_sha256)
      where id = ${run.id} and status = ${run.from}
      returning id
    ), runner as (
      update runners set status = ${run.runner?.status ?? "gone"}, last_seen_at = ${lane.now}::timestamptz
      where id = ${run.runner?.id ?? null}::uuid
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

async function writeStages(work: Work, lane: Lane, change: Change): Promise<void> {
  const current = currentStage(lane);
  if (change.stage && current) {
    const completed = ["done", "failed", "cancelled", "skipped"].includes(change.stage) ? lane.now : null;
    await work.tx.execute(sql`
      update stages set phase = ${change.stage}, completed_at = ${completed}::timestamptz
      where id = ${current.id} and phase = ${current.phase}`);
  }
  if (change.open) {
    const runId = change.open.run ? await insertRun(work, lane, change.open.run, "pending") : null;
    await work.tx.execute(sql`
      insert into stages (deployment_id, position, kind, phase, run_id, created_at)
      values (${lane.deployment.id}, ${(current?.position ?? 0) + 1}, ${change.open.kind}, 'running', ${runId}::uuid, ${lane.now}::timestamptz)`);
  }
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
      replaces, prioritized_at, created_at, first_pending_at, traceparent)
    values (${lane.deployment.org_id}, ${lane.deployment.id}, ${run.kind}, ${status},
      ensure_selector(${lane.deployment.org_id}::uuid, runner_selector_of(${JSON.stringify(lane.stack.labels)}::jsonb)),
      ${!isPlanStyle(run.kind)}, ${run.planRunId ?? null}::uuid,
      ${textArray(run.targets)}, ${textArray(run.excludes)}, ${textArray(run.replaces)},
      ${lane.deployment.prioritized_at}::timestamptz, ${lane.now}::timestamptz,
      ${status === "pending" ? lane.now : null}::timestamptz, ${currentTraceparent()}::text)
    returning id, selector_id`);
  if (!row) throw new Error("insert returned no run");
  if (status === "pending") work.pendingSelectors.add(row.selector_id);
  return row.id;
}

function textArray(values: string[] = []) {
  return sql`array(select jsonb_array_elements_text(${JSON.stringify(values)}::jsonb))`;
}

/** The activity rows and the domain event, and what the event's subscribers make of it. */
export async function writeLog(
  work: Work,
  lane: Pick<Lane, "now" | "deployment" | "stages">,
  change: Pick<Change, "activity" | "event" | "run">,
): Promise<void> {
  const { deployment } = lane;
  const event = {
    orgId: deployment.org_id,
    name: change.event.name,
    stackKey: deployment.stack_key,
    deploymentId: deployment.id,
    runId: change.event.runId ?? change.run?.id ?? null,
    preview: previewOf(deployment),
    actor: change.event.actor ?? null,
    data: {
      mode: deployment.mode,
      origin_type: deployment.origin_type,
      ...(deployment.origin_pr_number === null ? {} : { pr_number: deployment.origin_pr_number }),
      ...change.event.data,
    },
  };
  const stageId = lane.stages.at(-1)?.id ?? null;
  const activity = (change.activity ?? []).map((a) => ({
    kind: a.kind,
    actor_id: a.actor?.id ?? null,
    actor_kind: a.actor?.kind ?? null,
    stage_id: a.kind.startsWith("confirmed_") ? stageId : null,
    details: a.details ?? {},
  }));
  const logged = sql`logged as (
      insert into deployment_events (deployment_id, kind, actor_id, actor_kind, stage_id, details, created_at)
      select ${deployment.id}, a.kind, a.actor_id, a.actor_kind, a.stage_id, a.details, ${lane.now}::timestamptz
      from jsonb_to_recordset(${JSON.stringify(activity)}::jsonb)
        as a (kind text, actor_id text, actor_kind text, stage_id uuid, details jsonb)
    )`;
  await publish(work, event, { at: sql`${lane.now}::timestamptz`, along: logged });
  work.audit.push(...auditLines(deployment, change.activity ?? []));
}

/** Of a preview: its pull request. */
export function previewOf({
  origin_type,
  repository_url,
  origin_pr_number: number,
}: LaneDeployment): DomainEvent["preview"] {
  if (origin_type !== "pull_request" || number === null) return null;
  return { repositoryHash: repositoryHash(repositoryKey(repository_url)), number };
}

function assertOne(written: number, what: string, id: string): void {
  if (written !== 1) throw new Error(`${what} ${id} changed under its lock`);
}
