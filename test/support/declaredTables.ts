/** Every table that a room declares in its `schema.ts`. */
import { globSync } from "node:fs";
import { is, Table } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";

export const ROOT = new URL("../../", import.meta.url).pathname;

export async function declaredTables(): Promise<PgTable[]> {
  const rooms = await Promise.all(
    globSync("src/**/schema.ts", { cwd: ROOT }).map((file) => import(ROOT + file) as Promise<object>),
  );
  return rooms.flatMap((room) => Object.values(room).filter((value) => is(value, Table)) as PgTable[]);
}
