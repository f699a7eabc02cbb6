/** A step of what an organization has by schedule: what is due is made, and when to look again. */
import { sql } from "drizzle-orm";
import type { SchedulesView } from "../../../workflows/views.ts";
import type { Queryable } from "../../platform/db/client.ts";
import { endLifetimes } from "../lifetimes/end.ts";
import { makeDue, type ScheduleDeps } from "./make.ts";
import { beginOccurrences } from "./occur.ts";

/** Rows of each kind in one step, so that none takes long. */
const AT_ONCE = 20;

export async function runSchedules(deps: ScheduleDeps, orgId: string): Promise<SchedulesView> {
  await beginOccurrences(deps.service, orgId, AT_ONCE);
  await makeDue(deps, orgId, AT_ONCE);
  await endLifetimes(deps.service, orgId, AT_ONCE);
  return readView(deps.service.db, orgId);
}

async function readView(db: Queryable, orgId: string): Promise<SchedulesView> {
  const [row] = await db.execute<{ schedules: number; due: number; lifetimes: number; next_ms: number | null }>(sql`
    with times as materialized (
      select next_at as at, 1 as schedules, 0 as due, 0 as lifetimes from schedules where org_id = ${orgId} and next_at is not null
      union all
      select due_at, 0, 1, 0 from schedule_occurrences where org_id = ${orgId} and due_at is not null
      union all
      select due_at, 0, 0, 1 from stack_lifetimes where org_id = ${orgId} and due_at is not null
    )
    select coalesce(sum(schedules), 0)::int as schedules, coalesce(sum(due), 0)::int as due,
      coalesce(sum(lifetimes), 0)::int as lifetimes,
      extract(epoch from min(at) - svc_now())::float8 * 1000 as next_ms from times`);
  const { schedules = 0, due = 0, lifetimes = 0, next_ms = null } = row ?? {};
  return { schedules, due, lifetimes, nextMs: next_ms === null ? null : Math.max(0, Math.ceil(next_ms)) };
}
