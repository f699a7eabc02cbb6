/** Deployments in the order in which they ended, each handed out until it is marked as done. */
import { sql } from "drizzle-orm";
import type { Db } from "../../platform/db/client.ts";
import type { SqlRow } from "../../platform/db/sqlRow.ts";
import type { deployments } from "../deployments/schema.ts";
import type { RetiredKind } from "./schema.ts";

export type EndedDeployment = SqlRow<typeof deployments, "id"> & { completed_at: string };

/**
 * The next deployments that ended longer than `keepMs` ago, oldest first. A deployment that has not ended is never
 * among them, so neither is a plan that may still be applied: an apply belongs to the deployment that planned.
 */
export async function nextEnded(db: Db, kind: RetiredKind, keepMs: number, limit: number): Promise<EndedDeployment[]> {
  return await db.execute<EndedDeployment>(sql`
    select d.id, d.completed_at from deployments d
    where d.completed_at < svc_now() - ${keepMs}::float8 * interval '1 millisecond'
      and (d.completed_at, d.id) > (
        coalesce((select p.completed_at from retention_progress p where p.kind = ${kind}), '-infinity'),
        coalesce((select p.deployment_id from retention_progress p where p.kind = ${kind}),
          '00000000-0000-0000-0000-000000000000'))
    order by d.completed_at, d.id limit ${limit}::int`);
}

/** Everything of this kind up to and with this deployment is gone. Never goes back, whoever comes late. */
export async function markDone(db: Db, kind: RetiredKind, { id, completed_at }: EndedDeployment): Promise<void> {
  await db.execute(sql`
    insert into retention_progress as p (kind, completed_at, deployment_id)
    values (${kind}, ${completed_at}::timestamptz, ${id}::uuid)
    on conflict (kind) do update set completed_at = excluded.completed_at, deployment_id = excluded.deployment_id
      where (excluded.completed_at, excluded.deployment_id) > (p.completed_at, p.deployment_id)`);
}
