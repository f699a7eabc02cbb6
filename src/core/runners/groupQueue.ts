/** What waits for a runner group and what it works on, for people and for what scales its machines. */
import { sql } from "drizzle-orm";
import * as v from "valibot";
import type { Queryable } from "../../platform/db/client.ts";
import { IN_FLIGHT_OF_GROUP } from "../dispatch/inFlight.ts";

/** Counts stop here. */
const MOST = 100_000;

const about = (description: string) => v.pipe(v.number(), v.metadata({ description }));
export const GroupQueue = v.pipe(
  v.object({
    pending: about(`Runs that this group may take now; at most ${MOST} are counted. Another group may take them too`),
    oldest_pending_seconds: about("How long the first of them has waited; 0 without any"),
    running: about("Runs that its runners have"),
    capacity: about("How many it may have at once"),
    free: about("How many more it may take now"),
  }),
  v.metadata({ ref: "GroupQueue" }),
);
type GroupQueue = v.InferOutput<typeof GroupQueue>;

/** One statement over the group's selectors. What a priority moved is looked for among the first ten of each. */
export async function readGroupQueue(db: Queryable, groupId: string): Promise<GroupQueue> {
  const pending = (by: ReturnType<typeof sql>) => sql`
    select r.first_pending_at from runs r where r.status = 'pending' and r.selector_id = gs.selector_id ${by}`;
  const [row] = await db.execute<Omit<GroupQueue, "free">>(sql`
    select (select count(*)::int from (select from group_selectors gs join runs r on r.selector_id = gs.selector_id
        where gs.group_id = g.id and r.status = 'pending' limit ${MOST}::int) p) as pending,
      coalesce(extract(epoch from svc_now() - (select min(h.first_pending_at) from group_selectors gs cross join lateral (
          (${pending(sql`and r.prioritized_at is null order by r.first_pending_at limit 1`)})
          union all
          (${pending(sql`and r.prioritized_at is not null order by r.prioritized_at limit 10`)})) h
        where gs.group_id = g.id)), 0)::float8 as oldest_pending_seconds,
      ${IN_FLIGHT_OF_GROUP}::int as running, g.max_concurrent_runs as capacity
    from runner_groups g where g.id = ${groupId}`);
  if (!row) throw new Error("the group is gone");
  return { ...row, free: Math.max(row.capacity - row.running, 0) };
}
