/**
 * The rows that need an open workflow, in pages by id, each with what a start of its workflow takes
 * (docs/rules/workflows.md#the-reconciler).
 */
import { type SQL, sql } from "drizzle-orm";
import { parsePreviewKey, parseTaskKey, type RowKind } from "../../../workflows/ids.ts";
import { isInFlight } from "../../core/dispatch/inFlight.ts";
import type { pullRequestStacks, pullRequests } from "../../core/pullRequests/schema.ts";
import { repositoryHashOf } from "../../core/stacks/previewName.ts";
import type { Queryable } from "../../platform/db/client.ts";
import type { NamedRow } from "../../platform/db/sqlRow.ts";
import type { NotificationSubject, WorkflowSubject } from "../../work/message.ts";
import type { orgTasks } from "../../work/tasks/schema.ts";
import type { Timeouts } from "../../work/timeouts.ts";
import type { DecisionRows } from "../temporal/decide.ts";
import {
  cascadeStart,
  deploymentStart,
  leaseStart,
  notificationStart,
  previewStart,
  scmEventStart,
  taskStart,
  type WorkflowStart,
} from "../temporal/starts.ts";

export type LiveRow = { start: WorkflowStart; overdue: boolean };

type Row = WorkflowSubject & { id: string; overdue: boolean; sleepMs?: number | null };

type PreviewRow = NamedRow<typeof pullRequests, "orgId" | "number"> &
  NamedRow<typeof pullRequestStacks, "stackKey"> & { request: string; repositoryHash: string };

type TaskRow = NamedRow<typeof orgTasks, "id" | "orgId" | "stackKey"> & { task: string; overdue: boolean };
type DeliveryRow = NotificationSubject & { overdue: boolean };

type BranchRow = { key: string; orgId: string; overdue: boolean };

const NIL = "00000000-0000-0000-0000-000000000000";
const PAGE = 500;
/** A row counts as overdue this long after its deadline: timers are up to a second late, workers may be starting. */
const OVERDUE = "1 minute";
/** Notifications wait for a place in their worker, thousands at once: what is late by minutes is no fault to heal. */
const NOTIFICATION_OVERDUE = "15 minutes";

const SUBJECT = sql`d.org_id as "orgId", d.stack_key as "stackKey", d.id as "deploymentId", d.mode, d.origin_type as origin`;
const LIVE_DEPLOYMENT = sql`d.status not in ('finished', 'failed', 'cancelled', 'skipped')`;
const LIVE_RUN = isInFlight(sql`r.status`);

/** Pages of live rows of one kind. A row that becomes live or ends meanwhile may be in or out. */
export async function* liveRows(db: Queryable, kind: RowKind, timeouts: Timeouts): AsyncIterable<LiveRow[]> {
  if (kind === "preview") return yield* previews(db);
  if (kind === "scmEvent") return yield* branches(db);
  if (kind === "task") return yield* tasks(db);
  if (kind === "notification") return yield* notifications(db);
  if (kind === "cascade") return yield* cascades(db);
  const read = kind === "deployment" ? deployments : runs;
  for (let after = NIL; ; ) {
    const rows = await read(db, JSON.stringify(timeouts), after);
    yield rows.map((row) => ({
      start:
        kind === "deployment"
          ? deploymentStart(subjectOf(row), row.sleepMs ?? undefined)
          : leaseStart(row.id, subjectOf(row), row.sleepMs ?? undefined),
      overdue: row.overdue,
    }));
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE) return;
    after = last.id;
  }
}

/** A pull request is live on each stack it touches while it is open. Its workflow has no deadline that could pass. */
async function* previews(db: Queryable): AsyncIterable<LiveRow[]> {
  for (let after = { request: NIL, stack: NIL }; ; ) {
    const rows = await db.execute<PreviewRow>(sql`
      select l.pull_request_id as request, l.stack_key as "stackKey", p.org_id as "orgId", p.number,
        ${repositoryHashOf(sql`p.repository_key`)} as "repositoryHash"
      from pull_request_stacks l join pull_requests p on p.id = l.pull_request_id
      where (l.pull_request_id, l.stack_key) > (${after.request}::uuid, ${after.stack}::uuid)
      order by l.pull_request_id, l.stack_key limit ${PAGE}`);
    yield rows.map((row) => ({ start: previewStart(row), overdue: false }));
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE) return;
    after = { request: last.request, stack: last.stackKey };
  }
}

/** A branch of an inbox is live while an event of it is neither processed nor dead. */
async function* branches(db: Queryable): AsyncIterable<LiveRow[]> {
  for (let after = ""; ; ) {
    const rows = await db.execute<BranchRow>(sql`
      select e.branch_key as key, e.org_id as "orgId", min(e.due_at) < svc_now() - ${OVERDUE}::interval as overdue
      from scm_events e where e.status in ('pending', 'failed') and e.branch_key > ${after}
      group by e.branch_key, e.org_id order by e.branch_key limit ${PAGE}`);
    yield rows.map((row) => ({ start: scmEventStart(row), overdue: row.overdue }));
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE) return;
    after = last.key;
  }
}

/**
 * A task may wait for a slot behind those of others for as long as it takes, so one that is due says little: only
 * hours without a slice mean that its workflow is lost.
 */
const TASK_OVERDUE = "3 hours";

/** A task is live until it is done. */
async function* tasks(db: Queryable): AsyncIterable<LiveRow[]> {
  for (let after = NIL; ; ) {
    const rows = await db.execute<TaskRow>(sql`
      select id, org_id as "orgId", kind as task, stack_key as "stackKey",
        greatest(due_at, claimed_until) < svc_now() - ${TASK_OVERDUE}::interval as overdue
      from org_tasks where status = 'pending' and id > ${after}::uuid order by id limit ${PAGE}`);
    yield rows.map((row) => ({ start: taskStart(row), overdue: row.overdue }));
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE) return;
    after = last.id;
  }
}

/** A notification is live until its target took it, when its row goes, or it is dead. */
async function* notifications(db: Queryable): AsyncIterable<LiveRow[]> {
  for (let after = NIL; ; ) {
    const rows = await db.execute<DeliveryRow>(sql`
      select d.id as "deliveryId", d.org_id as "orgId", d.event_type as event, d.stack_key as "stackKey", d.deployment_id as "deploymentId",
        d.due_at < svc_now() - ${NOTIFICATION_OVERDUE}::interval as overdue
      from notification_deliveries d where d.status = 'pending' and d.id > ${after}::uuid
      order by d.id limit ${PAGE}`);
    yield rows.map((row) => ({ start: notificationStart(row), overdue: row.overdue }));
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE) return;
    after = last.deliveryId;
  }
}

const CASCADING = sql`d.dependents_snapshot_at is not null and d.dependents_resolved_at is null`;

/**
 * An apply is live until its dependents are resolved. It is late when some dependent is due and for a minute nothing became of any:
 * one of thousands works through them for longer than that.
 */
async function* cascades(db: Queryable): AsyncIterable<LiveRow[]> {
  for (let after = NIL; ; ) {
    const rows = await db.execute<Row>(sql`
      select d.id, ${SUBJECT}, d.dependents_snapshot_at < svc_now() - ${OVERDUE}::interval
        and not exists (select 1 from dependent_triggers t where t.parent_deployment_id = d.id
          and (t.updated_at > svc_now() - ${OVERDUE}::interval
            or t.trigger = 'always' and t.triggered_deployment_id is null and t.skipped_reason is null and t.error is null
              and t.due_at > svc_now() - ${OVERDUE}::interval)) as overdue
      from deployments d where ${CASCADING} and d.id > ${after}::uuid order by d.id limit ${PAGE}`);
    yield rows.map((row) => ({ start: cascadeStart(subjectOf(row)), overdue: row.overdue }));
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE) return;
    after = last.id;
  }
}

/** What a start of the deployment's workflow takes; null when the deployment is terminal or gone. */
async function liveSubject(db: Queryable, deploymentId: string): Promise<WorkflowSubject | null> {
  const rows = await db.execute<WorkflowSubject>(sql`
    select ${SUBJECT} from deployments d where d.id = ${deploymentId} and ${LIVE_DEPLOYMENT}`);
  return rows[0] ?? null;
}

/**
 * The status of a deployment that has ended while its workflow slept, or, with `begunNow`, has ended; null for any
 * other.
 */
export async function endedAsleep(db: Queryable, deploymentId: string, begunNow: boolean): Promise<string | null> {
  const rows = await db.execute<{ status: string }>(sql`
    select d.status from deployments d
    where d.id = ${deploymentId} and (d.woken_at is null or ${begunNow}) and not (${LIVE_DEPLOYMENT})`);
  return rows[0]?.status ?? null;
}

/**
 * Of the live deployments of a batch that are not decided yet, the one whose workflow had best carry the batch: the
 * lane's holder, else one that is awake. It has a task to do anyway, if only to end.
 */
async function carrierOf(db: Queryable, batchId: string, but?: string): Promise<WorkflowSubject | null> {
  const rows = await db.execute<WorkflowSubject>(sql`
    select ${SUBJECT} from decisions c join deployments d on d.id = c.deployment_id
    where c.batch = ${batchId} and c.answer is null and ${LIVE_DEPLOYMENT} and d.id is distinct from ${but ?? null}::uuid
    order by d.mode = 'plan_unlocked' or d.status = 'queued', d.woken_at is null, c.id limit 1`);
  return rows[0] ?? null;
}

export function decisionRows(db: Queryable): DecisionRows {
  return {
    liveSubject: (deploymentId) => liveSubject(db, deploymentId),
    carrierOf: (batchId, but) => carrierOf(db, batchId, but),
  };
}

/** Whether the row behind a workflow is live now. */
export async function isLive(db: Queryable, kind: RowKind, id: string): Promise<boolean> {
  if (kind === "preview") return isPreviewLive(db, id);
  if (kind === "scmEvent") {
    const open = await db.execute(
      sql`select 1 from scm_events where branch_key = ${id} and status in ('pending', 'failed') limit 1`,
    );
    return open.length > 0;
  }
  if (kind === "task") return isTaskLive(db, id);
  if (kind === "notification") {
    const pending = await db.execute(
      sql`select 1 from notification_deliveries where id = ${id} and status = 'pending'`,
    );
    return pending.length > 0;
  }
  if (kind === "cascade") {
    return (await db.execute(sql`select 1 from deployments d where d.id = ${id} and ${CASCADING}`)).length > 0;
  }
  const rows = await db.execute(
    kind === "deployment"
      ? sql`select 1 from deployments d where d.id = ${id} and ${LIVE_DEPLOYMENT}`
      : sql`select 1 from runs r where r.id = ${id} and ${LIVE_RUN}`,
  );
  return rows.length > 0;
}

async function isTaskLive(db: Queryable, key: string): Promise<boolean> {
  const name = parseTaskKey(key);
  if (name === null) return false;
  const rows = await db.execute(sql`
    select 1 from org_tasks where kind = ${name.kind} and subject_key = ${name.subjectKey} and status = 'pending'`);
  return rows.length > 0;
}

async function isPreviewLive(db: Queryable, key: string): Promise<boolean> {
  const name = parsePreviewKey(key);
  if (name === null) return false;
  const rows = await db.execute(sql`
    select 1 from pull_request_stacks l join pull_requests p on p.id = l.pull_request_id
    where l.stack_key = ${name.stackKey} and p.number = ${name.number}
      and ${repositoryHashOf(sql`p.repository_key`)} = ${name.repositoryHash}`);
  return rows.length > 0;
}

async function deployments(db: Queryable, timeouts: string, after: string): Promise<Row[]> {
  return await db.execute<Row>(sql`
    select d.id, ${SUBJECT}, coalesce(l.next < svc_now() - ${OVERDUE}::interval, false) as overdue,
      case when d.woken_at is null then ${untilMs(sql`least(l.next, d.created_at + s.supersede_age_ms * interval '1 millisecond',
        svc_now() + (${timeouts}::jsonb ->> 'startupDeadlineMs')::float8 * interval '1 millisecond')`)} end as "sleepMs"
    from deployments d join stacks s using (stack_key) cross join lateral (select next_deadline(d, ${timeouts}::jsonb) as next) l where ${LIVE_DEPLOYMENT} and d.id > ${after}::uuid order by d.id limit ${PAGE}`);
}

async function runs(db: Queryable, timeouts: string, after: string): Promise<Row[]> {
  return await db.execute<Row>(sql`
    select r.id, ${SUBJECT}, coalesce(l.next < svc_now() - ${OVERDUE}::interval, false) as overdue,
      case when r.lease_woken_at is null then ${untilMs(sql`l.next`)} end as "sleepMs"
    from runs r join deployments d on d.id = r.deployment_id
      cross join lateral (select next_deadline(r, ${timeouts}::jsonb) as next) l
    where ${LIVE_RUN} and r.id > ${after}::uuid order by r.id limit ${PAGE}`);
}

/** How long a workflow that never woke may go on sleeping, a day at most, so that many that were lost cost little when they begin anew. */
function untilMs(deadline: SQL): SQL {
  return sql`greatest(least(extract(epoch from ${deadline} - svc_now()) * 1000, 86400000), 0)::float8`;
}

function subjectOf({ orgId, stackKey, deploymentId, mode, origin }: Row): WorkflowSubject {
  return { orgId, stackKey, deploymentId, mode, origin };
}
