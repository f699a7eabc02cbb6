/**
 * Works out which policy counts for stacks whose labels, settings or schedules have changed, and when each is due: some
 * at a time, so that ten thousand hold nothing up.
 */
import { sql } from "drizzle-orm";
import type { Db } from "../../platform/db/client.ts";
import type { DriftPolicy } from "./policy.ts";
import { nextCheck } from "./schedule.ts";

const AT_ONCE = 500;

type Stale = {
  stack_key: string;
  now: string;
  due_at: string | null;
  before: DriftPolicy | null;
  policy: DriftPolicy | null;
  schedule_id: string | null;
};

/**
 * The stack's own policy goes before every schedule, and of schedules the one that asks for most labels, then the
 * older. One that is switched off keeps the stack from the others.
 */
export async function settle(db: Db, orgId: string): Promise<void> {
  await db.transaction(async (tx) => {
    // A stack may have been deleted in the moment in which it was marked.
    await tx.execute(sql`
      update stack_drift d set stale = false, effective = null, due_at = null from stacks s
      where d.org_id = ${orgId} and d.stale and s.stack_key = d.stack_key and s.deleted_at is not null`);
    const rows = await tx.execute<Stale>(sql`
      select d.stack_key, svc_now()::text as now, d.due_at, d.effective as before,
        coalesce(d.policy, m.policy) as policy, case when d.policy is null then m.id end as schedule_id
      from stack_drift d join stacks s on s.stack_key = d.stack_key and s.deleted_at is null
      left join lateral (
        select c.id, c.policy from drift_schedules c where c.org_id = d.org_id and s.labels @> c.selector
        order by (select count(*) from jsonb_object_keys(c.selector)) desc, c.created_at, c.id limit 1
      ) m on true
      where d.org_id = ${orgId} and d.stale order by d.stack_key limit ${AT_ONCE}::int for no key update of d`);
    const settled = rows.map((row) => ({
      stack_key: row.stack_key,
      schedule_id: row.schedule_id,
      ...timesOf(row),
    }));
    await tx.execute(sql`
      update stack_drift d set stale = false, effective = x.effective, schedule_id = x.schedule_id,
        due_at = case when d.check_id is null and not d.asked then x.due_at else d.due_at end, spread_ms = coalesce(x.spread_ms, d.spread_ms),
        put_off = null, put_off_times = 0,
        reconcile_due = d.reconcile_due and x.effective is not null
      from jsonb_to_recordset(${JSON.stringify(settled)}::jsonb)
        as x (stack_key uuid, schedule_id uuid, effective jsonb, due_at timestamptz, spread_ms float8)
      where d.stack_key = x.stack_key`);
  });
}

/** What is due by a policy that has not changed stays so. */
function timesOf({ stack_key, now, due_at, before, policy }: Stale) {
  const effective = policy?.enabled ? policy : null;
  if (effective === null) return { effective, due_at: null, spread_ms: null };
  const next = nextCheck(effective, stack_key, new Date(now));
  const kept = due_at !== null && JSON.stringify(before) === JSON.stringify(effective);
  return { effective, due_at: kept ? due_at : (next?.dueAt.toISOString() ?? null), spread_ms: next?.spreadMs ?? null };
}
