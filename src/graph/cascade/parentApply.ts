/** The apply whose dependents are resolved. */
import { sql } from "drizzle-orm";
import type { deployments } from "../../core/deployments/schema.ts";
import type { Queryable } from "../../platform/db/client.ts";
import type { SqlRow } from "../../platform/db/sqlRow.ts";

export type ParentApply = SqlRow<typeof deployments, "id" | "org_id" | "stack_key"> & {
  mode: "plan" | "destroy" | "refresh";
  /** When the apply ended, as Postgres writes it. */
  snapshot_at: string;
  /** Null while its cascade is due. */
  resolved_at: string | null;
  /** Stacks the cascade came through before this one. */
  path: string[];
};

/** Null when the deployment is no apply that succeeded. */
export async function findParentApply(db: Queryable, deploymentId: string): Promise<ParentApply | null> {
  const [row] = await db.execute<ParentApply>(sql`
    select id, org_id, stack_key, mode, dependents_snapshot_at as snapshot_at, dependents_resolved_at as resolved_at,
      to_jsonb(cascade_stack_path) as path
    from deployments where id = ${deploymentId} and dependents_snapshot_at is not null`);
  return row ?? null;
}
