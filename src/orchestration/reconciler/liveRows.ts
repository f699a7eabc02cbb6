/**
 * The rows that need an open workflow, in pages by id, each with what a start of its workflow takes
 * (docs/rules/workflows.md#the-reconciler).
 */
import { type SQL, sql } from "drizzle-orm";
import type { RowKind } from "../../../workflows/ids.ts";
import type { Queryable } from "../../platform/db/client.ts";
import type { Timeouts } from "../../work/timeouts.ts";
import { deploymentStart, leaseStart } from "../temporal/starts.ts";
import { branches, cascades, driftOrgs, notifications, previews, scheduledOrgs, tasks } from "./livePages.ts";
import {
  LIVE_DEPLOYMENT,
  LIVE_RUN,
  type LiveRow,
  NIL,
  OVERDUE,
  PAGE,
  SUBJECT,
  type SubjectRow,
  subjectOf,
} from "./liveRow.ts";

/** Pages of live rows of one kind. A row that becomes live or ends meanwhile may be in or out. */
export async function* liveRows(db: Queryable, kind: RowKind, timeouts: Timeouts): AsyncIterable<LiveRow[]> {
  if (kind === "preview") return yield* previews(db);
  if (kind === "scmEvent") return yield* branches(db);
  if (kind === "task") return yield* tasks(db);
  if (kind === "notification") return yield* notifications(db);
  if (kind === "cascade") return yield* cascades(db);
  if (kind === "drift") return yield* driftOrgs(db);
  if (kind === "schedules") return yield* scheduledOrgs(db);
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

async function deployments(db: Queryable, timeouts: string, after: string): Promise<SubjectRow[]> {
  return await db.execute<SubjectRow>(sql`
    select d.id, ${SUBJECT}, coalesce(l.next < svc_now() - ${OVERDUE}::interval, false) as overdue,
      case when d.woken_at is null then ${untilMs(sql`least(l.next, d.created_at + s.supersede_age_ms * interval '1 millisecond',
        svc_now() + (${timeouts}::jsonb ->> 'startupDeadlineMs')::float8 * interval '1 millisecond')`)} end as "sleepMs"
    from deployments d join stacks s using (stack_key) cross join lateral (select next_deadline(d, ${timeouts}::jsonb) as next) l where ${LIVE_DEPLOYMENT} and d.id > ${after}::uuid order by d.id limit ${PAGE}`);
}

async function runs(db: Queryable, timeouts: string, after: string): Promise<SubjectRow[]> {
  return await db.execute<SubjectRow>(sql`
    select r.id, ${SUBJECT}, coalesce(l.next < svc_now() - ${OVERDUE}::interval, false) as overdue,
      case when r.lease_woken_at is null then ${untilMs(sql`l.next`)} end as "sleepMs"
    from runs r join deployments d on d.id = r.deployment_id
      cross join lateral (select next_deadline(r, ${timeouts}::jsonb) as next) l
    where ${LIVE_RUN} and r.id > ${after}::uuid order by r.id limit ${PAGE}`);
}

/**
 * How long a workflow that never woke may go on sleeping, a day at most, so that many that were lost cost little when
 * they begin anew.
 */
function untilMs(deadline: SQL): SQL {
  return sql`greatest(least(extract(epoch from ${deadline} - svc_now()) * 1000, 86400000), 0)::float8`;
}
