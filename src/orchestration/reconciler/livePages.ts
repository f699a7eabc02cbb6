/** Live rows that carry no deadline a workflow sleeps until, kind by kind, in pages. */
import { sql } from "drizzle-orm";
import type { pullRequestStacks, pullRequests } from "../../core/pullRequests/schema.ts";
import { repositoryHashOf } from "../../core/stacks/previewName.ts";
import type { Queryable } from "../../platform/db/client.ts";
import type { NamedRow } from "../../platform/db/sqlRow.ts";
import type { NotificationSubject } from "../../work/message.ts";
import type { orgTasks } from "../../work/tasks/schema.ts";
import {
  cascadeStart,
  driftStart,
  notificationStart,
  previewStart,
  schedulesStart,
  scmEventStart,
  taskStart,
} from "../temporal/starts.ts";
import {
  CASCADING,
  CHECKED,
  type LiveRow,
  NIL,
  OVERDUE,
  PAGE,
  SCHEDULED,
  SUBJECT,
  type SubjectRow,
  subjectOf,
} from "./liveRow.ts";

type PreviewRow = NamedRow<typeof pullRequests, "orgId" | "number"> &
  NamedRow<typeof pullRequestStacks, "stackKey"> & { request: string; repositoryHash: string };

type TaskRow = NamedRow<typeof orgTasks, "id" | "orgId" | "stackKey"> & { task: string; overdue: boolean };
type DeliveryRow = NotificationSubject & { overdue: boolean };

type BranchRow = { key: string; orgId: string; overdue: boolean };

/** Notifications wait for a place in their worker, thousands at once: what is late by minutes is no fault to heal. */
const NOTIFICATION_OVERDUE = "15 minutes";

/** A pull request is live on each stack it touches while it is open. Its workflow has no deadline that could pass. */
export async function* previews(db: Queryable): AsyncIterable<LiveRow[]> {
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
export async function* branches(db: Queryable): AsyncIterable<LiveRow[]> {
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

/** A schedule's time is somebody's, and a step is short: it may wait behind the hosts of others. */
const SCHEDULE_OVERDUE = "10 minutes";

/** A task is live until it is done. */
export async function* tasks(db: Queryable): AsyncIterable<LiveRow[]> {
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
export async function* notifications(db: Queryable): AsyncIterable<LiveRow[]> {
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

/**
 * An organization is live while a stack of it is checked, or a check's end is to be read. A step may wait for a slot
 * as a task does.
 */
export async function* driftOrgs(db: Queryable): AsyncIterable<LiveRow[]> {
  for (let after = NIL; ; ) {
    const rows = await db.execute<{ orgId: string; overdue: boolean }>(sql`
      select o.id as "orgId", coalesce((select min(d.due_at) from stack_drift d where d.org_id = o.id and d.due_at is not null)
        < svc_now() - ${TASK_OVERDUE}::interval, false) as overdue
      from organizations o where o.id > ${after}::uuid and ${CHECKED} order by o.id limit ${PAGE}`);
    yield rows.map((row) => ({ start: driftStart(row), overdue: row.overdue }));
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE) return;
    after = last.orgId;
  }
}

/** An organization is live while anything of it comes by schedule. */
export async function* scheduledOrgs(db: Queryable): AsyncIterable<LiveRow[]> {
  for (let after = NIL; ; ) {
    const rows = await db.execute<{ orgId: string; overdue: boolean }>(sql`
      select o.id as "orgId", coalesce((select min(c.next_at) from schedules c where c.org_id = o.id and c.next_at is not null)
        < svc_now() - ${SCHEDULE_OVERDUE}::interval, false) as overdue
      from organizations o where o.id > ${after}::uuid and ${SCHEDULED} order by o.id limit ${PAGE}`);
    yield rows.map((row) => ({ start: schedulesStart(row), overdue: row.overdue }));
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE) return;
    after = last.orgId;
  }
}

/**
 * An apply is live until its dependents are resolved. It is late when some dependent is due and for a minute nothing
 * became of any: one of thousands works through them for longer than that.
 */
export async function* cascades(db: Queryable): AsyncIterable<LiveRow[]> {
  for (let after = NIL; ; ) {
    const rows = await db.execute<SubjectRow>(sql`
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
