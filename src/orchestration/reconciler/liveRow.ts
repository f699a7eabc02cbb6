/** What makes a row live, in words of SQL, and what a start of its workflow takes. */
import { sql } from "drizzle-orm";
import { isInFlight } from "../../core/dispatch/inFlight.ts";
import type { WorkflowSubject } from "../../work/message.ts";
import type { WorkflowStart } from "../temporal/starts.ts";

export type LiveRow = { start: WorkflowStart; overdue: boolean };

export type SubjectRow = WorkflowSubject & { id: string; overdue: boolean; sleepMs?: number | null };

export const NIL = "00000000-0000-0000-0000-000000000000";
export const PAGE = 500;
/** A row counts as overdue this long after its deadline: timers are up to a second late, workers may be starting. */
export const OVERDUE = "1 minute";

export const SUBJECT = sql`d.org_id as "orgId", d.stack_key as "stackKey", d.id as "deploymentId", d.mode, d.origin_type as origin`;
export const LIVE_DEPLOYMENT = sql`d.status not in ('finished', 'failed', 'cancelled', 'skipped')`;
export const LIVE_RUN = isInFlight(sql`r.status`);

export const CASCADING = sql`d.dependents_snapshot_at is not null and d.dependents_resolved_at is null`;

/** Of `organizations o`: whether its checks for drift have anything to do, now or later. */
export const CHECKED = sql`(exists (select from stack_drift d where d.org_id = o.id and d.due_at is not null)
  or exists (select from stack_drift d where d.org_id = o.id and (d.stale or d.reconcile_due or d.check_phase is not null)))`;

/** Of `organizations o`: whether anything of it comes by itself, now or later. */
export const SCHEDULED = sql`(exists (select from schedules c where c.org_id = o.id and c.next_at is not null)
  or exists (select from schedule_occurrences c where c.org_id = o.id and c.due_at is not null)
  or exists (select from stack_lifetimes c where c.org_id = o.id and c.due_at is not null))`;

export function subjectOf({ orgId, stackKey, deploymentId, mode, origin }: SubjectRow): WorkflowSubject {
  return { orgId, stackKey, deploymentId, mode, origin };
}
