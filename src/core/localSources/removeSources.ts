/**
 * What housekeeping removes of uploaded sources: those that no deployment names, a day after their upload; those whose
 * deployments have all ended, after the retention. First the row is marked, so that nobody can name the source any
 * more, then the object goes, then the row: whatever is interrupted, the next pass takes up.
 */
import { sql } from "drizzle-orm";
import type { Db } from "../../platform/db/client.ts";
import type { SqlRow } from "../../platform/db/sqlRow.ts";
import type { ObjectStore } from "../../platform/objects/store.ts";
import type { localSources } from "./schema.ts";
import { UNUSED_FOR } from "./source.ts";

const BATCH = 100;

/**
 * Remove what is due; safe to run at once in several processes.
 * @returns sources removed.
 * @throws StorageUnavailableError
 */
export async function removeSources(
  db: Db,
  objects: Pick<ObjectStore, "delete">,
  retentionMs: number,
): Promise<{ localSources: number }> {
  let localSources = 0;
  for (;;) {
    const marked = await mark(db, retentionMs);
    for (const { id, object_key } of marked) {
      await objects.delete(object_key);
      await db.execute(sql`delete from local_sources where id = ${id}`);
    }
    localSources += marked.length;
    if (marked.length < BATCH) return { localSources };
  }
}

type Removable = SqlRow<typeof localSources, "id" | "object_key">;

/**
 * The oldest that are due, marked ones of an interrupted pass first. A deployment that is being created has locked the
 * row (skipped) or has just set `used_at` on it: the condition is checked again on that version, which is then not due.
 */
async function mark(db: Db, retentionMs: number): Promise<Removable[]> {
  return await db.execute<Removable>(sql`
    with due as (
      select l.id from local_sources l where l.removed_at is not null
        or coalesce(l.used_at, l.created_at) < svc_now() - ${UNUSED_FOR}::interval
          and not exists (select from deployments d where d.local_source_key = l.id)
        or l.used_at < svc_now() - ${retentionMs}::float8 * interval '1 millisecond'
          and exists (select from deployments d where d.local_source_key = l.id)
          and not exists (select from deployments d where d.local_source_key = l.id
            and coalesce(d.completed_at, 'infinity') > svc_now() - ${retentionMs}::float8 * interval '1 millisecond')
      order by l.removed_at nulls last, l.created_at limit ${BATCH}::int for update skip locked
    )
    update local_sources l set removed_at = coalesce(l.removed_at, svc_now()) from due where l.id = due.id
    returning l.id, l.object_key`);
}
