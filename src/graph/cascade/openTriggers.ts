/** When an apply's dependents count as resolved: none of them is still to be triggered. */
import { sql } from "drizzle-orm";
import type { Queryable } from "../../platform/db/client.ts";

/** A row the cascade still has to trigger. The index `dependent_triggers_open` holds these and no others. */
export const OPEN = sql`t.trigger = 'always' and t.triggered_deployment_id is null and t.skipped_reason is null and t.error is null`;

/** Once no row is open none becomes open again, so this needs no lock. */
export async function markResolved(db: Pick<Queryable, "execute">, parentId: string): Promise<void> {
  await db.execute(sql`
    update deployments d set dependents_resolved_at = svc_now()
    where d.id = ${parentId} and d.dependents_snapshot_at is not null and d.dependents_resolved_at is null
      and not exists (select 1 from dependent_triggers t where t.parent_deployment_id = d.id and ${OPEN})`);
}
