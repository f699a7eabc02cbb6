/**
 * The organization's budget of runs per hour: a token bucket in its dispatch row, refilled at the rate, holding at
 * most 24 hours of it (docs/rules/dispatch.md#the-budget-of-runs-per-hour). A claim takes its token in its own
 * statement (`claimStatement.ts`), under the lock of that row.
 */
import { type SQL, sql } from "drizzle-orm";
import type { organizations } from "../../people/orgs/schema.ts";
import type { Queryable } from "../../platform/db/client.ts";
import type { SqlRow } from "../../platform/db/sqlRow.ts";

/** The bucket as of now: `available` tokens and the seconds until one is there (0 when one is). */
export function bucketOf(orgId: string): SQL {
  return sql`select o.org_id, b.available, t.now,
      case when b.available >= 1 then 0 when b.rate = 0 then 3600 else (1 - b.available) * 3600 / b.rate end as wait_s
    from dispatch_orgs o
    cross join lateral (select svc_now() as now) t
    cross join lateral (
      select g.runs_per_hour_limit::float8 as rate,
        tokens_at(o.tokens, o.refilled_at, g.runs_per_hour_limit, t.now) as available
      from organizations g where g.id = o.org_id
    ) b
    where o.org_id = ${orgId}`;
}

/**
 * Defer the organization until its next token is there. A microsecond is added, so that rounding never calls it too
 * early.
 * @returns whole seconds until then, at least 1
 */
export async function stampThrottled(tx: Queryable, orgId: string): Promise<number> {
  const [row] = await tx.execute<{ seconds: number }>(sql`
    update dispatch_orgs o set tokens = b.available, refilled_at = b.now,
      throttled_until = b.now + ceil(b.wait_s * 1e6 + 1) * interval '1 microsecond'
    from (${bucketOf(orgId)}) b where o.org_id = b.org_id
    returning greatest(1, ceil(b.wait_s))::int as seconds`);
  return row?.seconds ?? 1;
}

/** Put back the token of a claim that was handed back. */
export async function returnToken(tx: Queryable, orgId: string): Promise<void> {
  await tx.execute(sql`
    update dispatch_orgs set tokens = tokens + 1, throttled_until = null where org_id = ${orgId} and tokens is not null`);
}

export type DispatchBudget = SqlRow<typeof organizations, "runs_per_hour_limit"> & {
  available: number;
  next_slot_seconds: number;
};

/**
 * How much of its budget an organization has now, and the seconds until a run can be claimed (0: at once). Null: no
 * such organization.
 */
export async function readBudget(db: Queryable, orgId: string): Promise<DispatchBudget | null> {
  const [row] = await db.execute<DispatchBudget>(sql`
    select g.runs_per_hour_limit, floor(b.available)::int as available, ceil(b.wait_s)::int as next_slot_seconds
    from organizations g join (${bucketOf(orgId)}) b on b.org_id = g.id`);
  return row ?? null;
}
