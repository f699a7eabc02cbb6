/** A task that is done is kept for a week, for whoever asks when it last ran. */
import { sql } from "drizzle-orm";
import type { Queryable } from "../../platform/db/client.ts";

const KEPT = "7 days";
const BATCH = 1_000;

export async function removeDoneTasks(db: Queryable): Promise<{ tasks: number }> {
  for (let tasks = 0; ; ) {
    const removed = await db.execute(sql`
      delete from org_tasks where status = 'done' and id in (
        select id from org_tasks where status = 'done' and completed_at < svc_now() - ${KEPT}::interval
        order by completed_at limit ${BATCH} for update skip locked)
      returning 1`);
    tasks += removed.length;
    if (removed.length < BATCH) return { tasks };
  }
}
