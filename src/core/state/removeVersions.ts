/**
 * What housekeeping removes of states: versions that are neither among the newest of their stack nor young, those that
 * were never whole a day after they were begun, and those of deleted stacks once their time is over. The newest one of
 * a stack always stays. First the row is marked, then the object goes, then the row: whatever is interrupted, the next
 * pass takes up.
 */
import { type SQL, sql } from "drizzle-orm";
import type { Db } from "../../platform/db/client.ts";
import type { SqlRow } from "../../platform/db/sqlRow.ts";
import type { ObjectStore } from "../../platform/objects/store.ts";
import type { stateVersions } from "./schema.ts";

const BATCH = 100;
const AT_ONCE = 8;
/** Longer than any upload takes. */
const UNFINISHED_FOR = "1 day";

export type StateRetention = { keepVersions: number; stateVersionsMs: number };

/**
 * Remove what is due; safe to run at once in several processes.
 * @returns versions removed.
 * @throws StorageUnavailableError
 */
export async function removeStateVersions(
  db: Db,
  objects: Pick<ObjectStore, "delete">,
  keep: StateRetention,
): Promise<{ stateVersions: number }> {
  await forgetDeleted(db, keep.stateVersionsMs);
  let stateVersions = 0;
  for (;;) {
    const marked = await mark(db, keep);
    for (let at = 0; at < marked.length; at += AT_ONCE) {
      const some = marked.slice(at, at + AT_ONCE);
      await Promise.all(some.map(({ object_key }) => objects.delete(object_key)));
      const ids = some.map(({ id }) => id);
      await db.execute(sql`delete from state_versions where id = any(${`{${ids.join(",")}}`}::uuid[])`);
    }
    stateVersions += marked.length;
    if (marked.length < BATCH) return { stateVersions };
  }
}

type Removable = SqlRow<typeof stateVersions, "id" | "object_key">;

/** A stack that was deleted long ago has no state any more; its versions are then as any that are not kept. */
async function forgetDeleted(db: Db, keepMs: number): Promise<void> {
  await db.execute(sql`
    with gone as (
      delete from stack_states s using stacks k
      where k.stack_key = s.stack_key and k.deleted_at < ${before(keepMs)} returning s.stack_key
    )
    update state_versions v set beyond_last = true from gone where v.stack_key = gone.stack_key and not v.beyond_last`);
}

/** A rollback to a marked version is refused as if it were gone. */
async function mark(db: Db, { keepVersions, stateVersionsMs }: StateRetention): Promise<Removable[]> {
  return await db.execute<Removable>(sql`
    with due as (
      (select v.id from state_versions v where v.removed_at is not null)
      union all
      (select v.id from state_versions v where v.number is null and v.created_at < svc_now() - ${UNFINISHED_FOR}::interval)
      union all
      (select v.id from state_versions v left join stack_states s on s.stack_key = v.stack_key
        where v.beyond_last and v.created_at < ${before(stateVersionsMs)}
          and (s.stack_key is null or v.number <= s.last_number - ${keepVersions}::bigint and v.id is distinct from s.version_id)
        order by v.created_at)
      limit ${BATCH}::int
    ), taken as (
      select v.id from state_versions v where v.id in (select id from due) for update skip locked
    )
    update state_versions v set removed_at = coalesce(v.removed_at, svc_now()) from taken where v.id = taken.id
    returning v.id, v.object_key`);
}

function before(keepMs: number): SQL {
  return sql`svc_now() - ${keepMs}::float8 * interval '1 millisecond'`;
}
