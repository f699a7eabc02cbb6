/**
 * Removes logs and artifacts of ended deployments. The object first, then the row that names it: interrupted between
 * the two, the row is still there, so the next pass deletes the object once more, which succeeds, and then the row. The
 * other way round an interruption would leave an object that nothing names, and that nobody would ever find. A rotation
 * of keys puts an object back under its name and then marks the row: one that was marked since it was read stays, for
 * another round. Until the row goes, a reader of data that is due anyway meets a missing object and gets an error,
 * never other bytes.
 */
import { type SQL, sql } from "drizzle-orm";
import type { Db } from "../../platform/db/client.ts";
import type { SqlRow } from "../../platform/db/sqlRow.ts";
import type { ObjectStore } from "../../platform/objects/store.ts";
import type { logChunks } from "../runs/schema.ts";

const ROWS = 500;
const AT_ONCE = 16;

type Deleting = Pick<ObjectStore, "delete">;

/** @returns chunks removed. @throws StorageUnavailableError; what is left is removed by the next call */
export function removeLogs(db: Db, objects: Deleting, deploymentIds: readonly string[]): Promise<number> {
  return removeBatches(db, objects, {
    find: sql`
      select l.run_id, l.chunk_index::text as name, l.object_key, l.key_id from log_chunks l join runs r on r.id = l.run_id
      where r.deployment_id in (${listed(deploymentIds)}) limit ${ROWS}::int`,
    remove: (rows) => sql`
      delete from log_chunks l using jsonb_to_recordset(${rows}::jsonb) as gone (run_id uuid, name text, key_id text)
      where l.run_id = gone.run_id and l.chunk_index = gone.name::int and l.key_id is not distinct from gone.key_id`,
  });
}

/** @returns artifacts removed. @throws StorageUnavailableError; what is left is removed by the next call */
export function removeArtifacts(db: Db, objects: Deleting, deploymentIds: readonly string[]): Promise<number> {
  return removeArtifactsOf(db, objects, deploymentIds, sql``);
}

/** Only for an apply to come is a tree of use. Answers and throws as `removeArtifacts`. */
export function removeTrees(db: Db, objects: Deleting, deploymentIds: readonly string[]): Promise<number> {
  return removeArtifactsOf(db, objects, deploymentIds, sql`and a.kind = 'tree'`);
}

function removeArtifactsOf(db: Db, objects: Deleting, deploymentIds: readonly string[], which: SQL): Promise<number> {
  return removeBatches(db, objects, {
    find: sql`
      select a.run_id, a.kind as name, a.object_key, a.key_id from artifacts a join runs r on r.id = a.run_id
      where r.deployment_id in (${listed(deploymentIds)}) ${which} limit ${ROWS}::int`,
    remove: (rows) => sql`
      delete from artifacts a using jsonb_to_recordset(${rows}::jsonb) as gone (run_id uuid, name text, key_id text)
      where a.run_id = gone.run_id and a.kind = gone.name and a.key_id is not distinct from gone.key_id`,
  });
}

type Stored = SqlRow<typeof logChunks, "run_id" | "object_key" | "key_id"> & { name: string };

async function removeBatches(
  db: Db,
  objects: Deleting,
  { find, remove }: { find: SQL; remove: (rows: string) => SQL },
): Promise<number> {
  for (let removed = 0; ; ) {
    const rows = await db.execute<Stored>(find);
    if (rows.length === 0) return removed;
    const keys = rows.flatMap(({ object_key }) => object_key ?? []);
    for (let at = 0; at < keys.length; at += AT_ONCE) {
      await Promise.all(keys.slice(at, at + AT_ONCE).map((key) => objects.delete(key)));
    }
    await db.execute(remove(JSON.stringify(rows.map(({ run_id, name, key_id }) => ({ run_id, name, key_id })))));
    removed += rows.length;
  }
}

function listed(ids: readonly string[]): SQL {
  return sql`select value::uuid from jsonb_array_elements_text(${JSON.stringify(ids)}::jsonb)`;
}
