/** Rows of any table by their primary key, for work that goes through tables in the order of it. */
import { type SQL, sql } from "drizzle-orm";

/** The primary key's columns with their types, in order. */
export type KeyColumns = readonly (readonly [name: string, type: "uuid" | "text" | "int"])[];
export type RowKey = (string | number)[];

export function keyNames(columns: KeyColumns): SQL {
  return sql.join(
    columns.map(([name]) => sql.identifier(name)),
    sql`, `,
  );
}

export function keyValues(columns: KeyColumns, key: RowKey): SQL {
  return sql.join(
    columns.map(([, type], i) => sql`${key[i]}::${sql.raw(type)}`),
    sql`, `,
  );
}

/** As the place of an envelope has it. */
export function rowIdOf(key: RowKey): string {
  return key.join("/");
}
