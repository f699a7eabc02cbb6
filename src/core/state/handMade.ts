/** The state of a stack, if it comes from people or a command: no analysis tells what stands in it. */
import { sql } from "drizzle-orm";
import type { Queryable } from "../../platform/db/client.ts";

export type HandMadeState = { id: string; objectKey: string; size: number; createdAt: string };

/** Null: an analysis is newer, or there is no such state. */
export async function handMadeState(
  db: Queryable,
  stackKey: string,
  analysedAt: string | null,
): Promise<HandMadeState | null> {
  const [row] = await db.execute<HandMadeState>(sql`
    select v.id, v.object_key as "objectKey", v.size::float8 as size, v.created_at::text as "createdAt"
    from stack_states s join state_versions v on v.id = s.version_id left join runs r on r.id = v.run_id
    where s.stack_key = ${stackKey} and (r.id is null or r.kind = 'raw_run')
      and v.created_at > coalesce(${analysedAt}::timestamptz, '-infinity')`);
  return row ?? null;
}
