/**
 * Puts every sealed value of the database under the current key (docs/operations.md#encryption-at-rest). Rows are
 * found by the key id their envelope begins with, so an interrupted rotation goes on where it was, and what is
 * current already is not even opened. A row is changed only while it still holds the bytes that were read: a write of
 * the service in between wins. Readers see the old or the new envelope, and open both. Nothing is locked beyond one
 * row's update.
 */
import { sql } from "drizzle-orm";
import { ifReadable, type Place } from "../../platform/crypto/envelope.ts";
import type { RotatingKeyring } from "../../platform/crypto/keyring.ts";
import type { Db } from "../../platform/db/client.ts";
import { keyNames, keyValues, type RowKey, rowIdOf } from "./rowKeys.ts";
import { SEALED_COLUMNS, type SealedColumn } from "./sealedColumns.ts";

const BATCH = 200;
const AT_ONCE = 8;
/**
 * A transaction that began before may put back what it read; after so many passes something writes with another key.
 */
const MAX_PASSES = 10;

export type Rotation = {
  /** Values sealed again, by `table.column`. */
  rotated: Record<string, number>;
  /** Rows that no listed key opens: left as they are. */
  unreadable: string[];
  /** Whether the last pass found nothing more to do. */
  complete: boolean;
};

type Keyring = Pick<RotatingKeyring, "open" | "seal" | "sealingKeyId">;
type Row = { key: RowKey; sealed: Buffer };

/** @throws KeyServiceUnavailableError, and what the database throws; what was done stays done */
export async function rotateEncryption(db: Db, keyring: Keyring): Promise<Rotation> {
  const rotated: Record<string, number> = {};
  const unreadable = new Set<string>();
  for (let pass = 1; pass <= MAX_PASSES; pass++) {
    let found = 0;
    for (const column of SEALED_COLUMNS) {
      const n = await rotateColumn(db, keyring, column, unreadable);
      found += n;
      const name = `${column.table}.${column.column}`;
      rotated[name] = (rotated[name] ?? 0) + n;
    }
    if (found === 0) return { rotated, unreadable: [...unreadable], complete: unreadable.size === 0 };
  }
  return { rotated, unreadable: [...unreadable], complete: false };
}

/**
 * One pass over one column, in the order of its key. @returns how many rows were under another key and could be opened
 */
async function rotateColumn(db: Db, keyring: Keyring, column: SealedColumn, unreadable: Set<string>): Promise<number> {
  let after: RowKey | null = null;
  for (let found = 0; ; ) {
    const rows: Row[] = await oldRows(db, keyring, column, after);
    for (let at = 0; at < rows.length; at += AT_ONCE) {
      const done = await Promise.all(rows.slice(at, at + AT_ONCE).map((row) => rotateRow(db, keyring, column, row)));
      for (const [i, opened] of done.entries()) {
        if (opened) found += 1;
        else unreadable.add(`${column.table}.${column.column} ${rowIdOf((rows[at + i] as Row).key)}`);
      }
    }
    if (rows.length < BATCH) return found;
    after = (rows.at(-1) as Row).key;
  }
}

/** An envelope begins with its version, then the length of its key id, then that id. */
async function oldRows(db: Db, keyring: Keyring, column: SealedColumn, after: RowKey | null): Promise<Row[]> {
  const sealed = sql.identifier(column.column);
  const names = keyNames(column.key);
  const later = after === null ? sql`true` : sql`(${names}) > (${keyValues(column.key, after)})`;
  return await db.execute<Row>(sql`
    select jsonb_build_array(${names}) as key, ${sealed} as sealed from ${sql.identifier(column.table)}
    where ${sealed} is not null and length(${sealed}) > 2
      and substring(${sealed} from 3 for get_byte(${sealed}, 1)) <> ${keyring.sealingKeyId} and ${later}
    order by ${names} limit ${BATCH}::int`);
}

/** False when no key opens the row; true when it is current now, or changed meanwhile, which the next pass looks at. */
async function rotateRow(db: Db, keyring: Keyring, column: SealedColumn, row: Row): Promise<boolean> {
  const place: Place = { table: column.table, column: column.column, rowId: rowIdOf(row.key) };
  const plaintext = await ifReadable(keyring.open(row.sealed, place));
  if (plaintext === null) return false;
  const resealed = await keyring.seal(plaintext, place);
  const sealed = sql.identifier(column.column);
  const names = keyNames(column.key);
  await db.execute(sql`
    update ${sql.identifier(column.table)} set ${sealed} = ${resealed}
    where (${names}) = (${keyValues(column.key, row.key)}) and ${sealed} = ${row.sealed}`);
  return true;
}
