/**
 * Whether somebody follows a log, told from those who read it to those who take it in, which are other processes as a
 * rule: a row that lasts for some seconds, and is written again while there are readers.
 */
import { type SQL, sql } from "drizzle-orm";
import type { Queryable } from "../../platform/db/client.ts";

/** How often it is written while somebody reads. */
export const NOTE_EVERY_MS = 5_000;
/** It outlasts a note that comes late. */
const LASTS = "15 seconds";

/** These are followed for the next seconds. In the order of their ids, since other processes note the same rows. */
export async function noteFollowed(db: Queryable, deploymentIds: readonly string[]): Promise<void> {
  await db.execute(sql`
    insert into followed_logs (deployment_id, until)
    select d.id, svc_now() + ${LASTS}::interval from deployments d
    where d.id = any(${`{${deploymentIds.join(",")}}`}::uuid[]) and d.completed_at is null order by d.id
    on conflict (deployment_id) do update set until = excluded.until`);
}

/** Of a run, by the name of the column with its id. */
export function isFollowed(runId: SQL): SQL {
  return sql`exists (select from runs r join followed_logs f on f.deployment_id = r.deployment_id
    where r.id = ${runId} and f.until > svc_now())`;
}
