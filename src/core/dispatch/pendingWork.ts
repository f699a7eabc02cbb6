/**
 * How many pending runs a group could take now. One fragment for the poll's own peek and for the query that answers for
 * all waiting pollers, so that both mean the same as the claim: pending runs of the group's selectors, within its free
 * capacity and its organization's in-flight cap. Each read stops at `limit` index entries.
 */
import { type SQL, sql } from "drizzle-orm";
import type { Queryable } from "../../platform/db/client.ts";
import { type GroupRow, groupCaller, type Signed } from "../runnerIdentity/admission.ts";
import type { Claims } from "../runnerIdentity/jwt.ts";
import { IN_FLIGHT_OF_GROUP, IN_FLIGHT_OF_ORG, ROOM_FOR_CHECKS } from "./inFlight.ts";
import type { DispatchLimits, Limiter } from "./types.ts";

/** An expression over a `runner_groups g` in scope. */
function claimable(limit: SQL, maxPerOrg: number | undefined): SQL {
  const orgRoom = maxPerOrg === undefined ? sql`${limit}` : sql`${maxPerOrg}::int - ${IN_FLIGHT_OF_ORG}`;
  // The pending runs first: without any, which is the common case, nothing is counted. They are asked for in the order
  // of `runs_claimable`, because without an order the planner expects to meet a match at once and reads the table
  // instead: for a group without work that is all of it.
  return sql`(select case when p.pending = 0 then 0 else greatest(0, least(p.pending,
      g.max_concurrent_runs - ${IN_FLIGHT_OF_GROUP}, ${orgRoom})) end
    from (select count(*) as pending from (
      select 1 from group_selectors s cross join lateral (
        select 1 from runs r where r.selector_id = s.selector_id and r.status = 'pending'
          and (not r.background or ${ROOM_FOR_CHECKS})
        order by r.background, r.prioritized_at, r.first_pending_at, r.id limit ${limit}
      ) one where s.group_id = g.id limit ${limit}) found) p)::int`;
}

export type PeekRow = GroupRow & {
  claimable: number;
  /** Seconds until the organization's next token; 0 or less when it is not deferred, or no limiter asks. */
  throttled_s: number;
};

/** A poll's first statement: does the token hold, and is there work. */
export async function peek(
  db: Queryable,
  signed: Signed<Extract<Claims, { token_type: "runner_group" }>>,
  { maxPerOrg }: DispatchLimits,
  limiter: Limiter,
): Promise<PeekRow | undefined> {
  const throttledUntil = sql`(select throttled_until from dispatch_orgs o where o.org_id = c.org_id)`;
  const rows = await db.execute<PeekRow>(sql`
    with caller as (${groupCaller(signed)})
    select c.*, ${claimable(sql`1`, maxPerOrg)} as claimable, ${
      limiter === "on" ? sql`coalesce(ceil(extract(epoch from ${throttledUntil} - svc_now())), 0)::int` : sql`0`
    } as throttled_s
    from caller c join runner_groups g on g.id = c.group_id`);
  return rows[0];
}

/** For each waiting group that could take runs: how many, at most as many as it has pollers waiting. */
export async function claimableByGroup(
  db: Queryable,
  waiting: ReadonlyMap<string, number>,
  { maxPerOrg }: DispatchLimits,
): Promise<Map<string, number>> {
  const groups = JSON.stringify([...waiting].map(([group_id, pollers]) => ({ group_id, pollers })));
  const rows = await db.execute<{ id: string; runs: number }>(sql`
    select * from (
      select g.id, ${claimable(sql`w.pollers`, maxPerOrg)} as runs
      from jsonb_to_recordset(${groups}::jsonb) as w (group_id uuid, pollers int) join runner_groups g on g.id = w.group_id
    ) counted where runs > 0`);
  return new Map(rows.map((row) => [row.id, row.runs]));
}
