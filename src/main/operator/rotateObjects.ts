/**
 * Puts every stored object under the current key: plans and their data, sealed logs, uploads
 * (docs/operations.md#encryption-at-rest). An object is streamed from one key to the other and replaced under its own
 * name in one step, so a reader gets the old bytes or the new ones. Its row then says which key it is under: an
 * interrupted rotation goes on where it was. No lock is held meanwhile. When the row is gone or names another object
 * by then, what was put back is deleted; when it is going, its removal sees the mark and comes again (retention).
 */
import type { Readable } from "node:stream";
import { type SQL, sql } from "drizzle-orm";
import { ifReadable, keyIdOf, type Place } from "../../platform/crypto/envelope.ts";
import type { RotatingKeyring } from "../../platform/crypto/keyring.ts";
import type { Db } from "../../platform/db/client.ts";
import type { ObjectStore } from "../../platform/objects/store.ts";
import { type KeyColumns, keyNames, keyValues, type RowKey, rowIdOf } from "./rowKeys.ts";

const BATCH = 200;
/** Each holds two parts of an upload in memory. */
const AT_ONCE = 4;
/** After so many passes some process still writes with another key. */
const MAX_PASSES = 10;

type StoredTable = { table: string; key: KeyColumns; present: SQL };

/** Every table whose rows name objects. A test compares it with the schema. */
export const STORED_OBJECTS: readonly StoredTable[] = [
  {
    table: "artifacts",
    key: [
      ["run_id", "uuid"],
      ["kind", "text"],
    ],
    present: sql`true`,
  },
  {
    table: "log_chunks",
    key: [
      ["run_id", "uuid"],
      ["chunk_index", "int"],
    ],
    present: sql`sealed`,
  },
  { table: "local_sources", key: [["id", "uuid"]], present: sql`size is not null and removed_at is null` },
  { table: "state_versions", key: [["id", "uuid"]], present: sql`number is not null and removed_at is null` },
];

export type ObjectRotation = {
  /** Objects sealed again, by table. */
  rotated: Record<string, number>;
  /** Rows whose object no listed key opens, or that was changed: left as they are. */
  unreadable: string[];
  /** Whether the last pass found nothing more to do. */
  complete: boolean;
};

type Deps = {
  db: Db;
  store: Pick<ObjectStore, "get" | "put" | "delete">;
  keyring: Pick<RotatingKeyring, "openStream" | "sealStream" | "sealingKeyId">;
};
type Row = { key: RowKey; object_key: string };

/**
 * @throws StorageUnavailableError, KeyServiceUnavailableError, and what the database throws; what was done stays done
 */
export async function rotateObjects(deps: Deps): Promise<ObjectRotation> {
  const rotated: Record<string, number> = Object.fromEntries(STORED_OBJECTS.map(({ table }) => [table, 0]));
  const unreadable = new Set<string>();
  for (let pass = 1; pass <= MAX_PASSES; pass++) {
    let found = 0;
    for (const stored of STORED_OBJECTS) {
      const n = await rotateTable(deps, stored, unreadable);
      found += n;
      rotated[stored.table] = (rotated[stored.table] ?? 0) + n;
    }
    if (found === 0) return { rotated, unreadable: [...unreadable], complete: unreadable.size === 0 };
  }
  return { rotated, unreadable: [...unreadable], complete: false };
}

/** One pass over one table, in the order of its key. @returns how many objects were sealed again */
async function rotateTable(deps: Deps, stored: StoredTable, unreadable: Set<string>): Promise<number> {
  let after: RowKey | null = null;
  for (let sealedAgain = 0; ; ) {
    const rows: Row[] = await notKnownCurrent(deps, stored, after);
    for (let at = 0; at < rows.length; at += AT_ONCE) {
      const some = rows.slice(at, at + AT_ONCE);
      const results = await Promise.all(some.map((row) => rotateObject(deps, stored, row)));
      for (const [i, result] of results.entries()) {
        if (result === "sealed again") sealedAgain += 1;
        if (result === "unreadable") unreadable.add(`${stored.table} ${rowIdOf((some[i] as Row).key)}`);
      }
    }
    if (rows.length < BATCH) return sealedAgain;
    after = (rows.at(-1) as Row).key;
  }
}

async function notKnownCurrent({ db, keyring }: Deps, stored: StoredTable, after: RowKey | null): Promise<Row[]> {
  const names = keyNames(stored.key);
  const later = after === null ? sql`true` : sql`(${names}) > (${keyValues(stored.key, after)})`;
  return await db.execute<Row>(sql`
    select jsonb_build_array(${names}) as key, object_key from ${sql.identifier(stored.table)}
    where ${stored.present} and key_id is distinct from ${hex(keyring.sealingKeyId)} and ${later}
    order by ${names} limit ${BATCH}::int`);
}

type Result = "sealed again" | "current" | "gone" | "unreadable";

async function rotateObject(deps: Deps, stored: StoredTable, row: Row): Promise<Result> {
  const { store, keyring } = deps;
  const object = await store.get(row.object_key);
  // Objects go before the rows that name them.
  if (object === null) return "gone";
  try {
    const { keyId, whole } = await begun(object.body);
    if (keyId?.equals(keyring.sealingKeyId)) {
      await mark(deps, stored, row);
      return "current";
    }
    const place: Place = { table: stored.table, column: "object_key", rowId: rowIdOf(row.key) };
    const resealed = keyring.sealStream(place)(keyring.openStream(place)(whole));
    if ((await ifReadable(store.put(row.object_key, resealed))) === null) return "unreadable";
    if (!(await mark(deps, stored, row))) await store.delete(row.object_key);
    return "sealed again";
  } finally {
    object.body.destroy();
  }
}

/** The id of the key that an object is under, and the object from its beginning. */
async function begun(body: Readable): Promise<{ keyId: Buffer | null; whole: AsyncIterable<Uint8Array> }> {
  const chunks = body[Symbol.asyncIterator]();
  let start: Buffer = Buffer.alloc(0);
  for (;;) {
    const keyId = keyIdOf(start);
    const next = keyId === null ? await chunks.next() : null;
    if (next === null || next.done) return { keyId, whole: resumed(start, chunks) };
    start = Buffer.concat([start, next.value]);
  }
}

async function* resumed(start: Buffer, chunks: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield start;
  for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value;
}

/** False when the row is gone, or names another object, or its object is being removed. */
async function mark({ db, keyring }: Deps, stored: StoredTable, row: Row): Promise<boolean> {
  const marked = await db.execute(sql`
    update ${sql.identifier(stored.table)} set key_id = ${hex(keyring.sealingKeyId)}
    where (${keyNames(stored.key)}) = (${keyValues(stored.key, row.key)}) and object_key = ${row.object_key} and ${stored.present}
    returning 1`);
  return marked.length > 0;
}

function hex(keyId: Buffer): string {
  return keyId.toString("hex");
}
