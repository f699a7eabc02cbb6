/**
 * Who deletes a row makes Postgres look for those that name it, for each deleted row anew: without an index that reads
 * whole tables. A row that nothing ever deletes needs none, and an index that serves nobody makes every write dearer.
 */
import { globSync, readFileSync } from "node:fs";
import { getTableName } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import { expect, test } from "vitest";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { declaredTables, ROOT } from "../support/declaredTables.ts";

/** Files that delete from a table which they are given, and the tables that they are given. */
const GIVEN: Record<string, string[]> = {
  "src/exchange/sealedIntegration/writing.ts": ["scm_integrations", "notification_integrations"],
  "src/people/members/removeExpired.ts": [
    "memberships",
    "invitations",
    "sessions",
    "auth_states",
    "sign_in_confirmations",
    "used_sign_in_codes",
    "membership_offers",
    "device_logins",
  ],
};

/** `delete from name` and `.delete(name)`; what is no table is a map's or a set's. */
const DELETES = /\bdelete\s+from\s+(\w+|\$\{)|\.delete\((\w+)\)/g;

/** Tables from which a statement of the service or a function of the database deletes. */
async function deletedFrom(): Promise<string[]> {
  const names = new Map<string, string>();
  for (const table of await declaredTables()) names.set(variableOf(table), getTableName(table));
  const files = [...globSync("src/**/*.ts", { cwd: ROOT }), "drizzle/schema.sql"];
  return files.flatMap((file) =>
    [...readFileSync(ROOT + file, "utf8").matchAll(DELETES)].flatMap(([, inSql, inCode]) => {
      if (inSql === "${" || inCode === "table") return given(file);
      return inSql ?? names.get(inCode as string) ?? [];
    }),
  );
}

function given(file: string): string[] {
  const tables = GIVEN[file];
  if (tables === undefined) throw new Error(`${file} deletes from a table that it is given: name here which ones`);
  return tables;
}

/** As schemas name their tables: `runner_groups` is `runnerGroups`. */
function variableOf(table: PgTable): string {
  return getTableName(table).replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/**
 * Foreign keys that a deletion follows, also one that itself follows a key, and that no index serves. An index serves a
 * key when it begins with the key's columns, in any order, and holds all rows that name something: it is whole, or
 * leaves out only those where the column is null.
 */
const WITHOUT_INDEX = `
  with recursive deleted as (
    select unnest($1::regclass[]) as id
    union
    select k.conrelid::regclass from pg_constraint k join deleted d on d.id = k.confrelid where k.contype = 'f' and k.confdeltype = 'c'
  )
  select k.conrelid::regclass || ' (' || array_to_string(named.columns, ', ') || ') -> ' || k.confrelid::regclass as key
  from pg_constraint k join deleted d on d.id = k.confrelid
  cross join lateral (
    select array_agg(quote_ident(a.attname)) as columns
    from unnest(k.conkey) c join pg_attribute a on a.attrelid = k.conrelid and a.attnum = c
  ) named
  where k.contype = 'f' and not exists (
    select from pg_index i
    cross join lateral (select array_agg(c) as with_columns from unnest(i.indkey::int2[]) with ordinality u (c, at)
      where at <= cardinality(k.conkey)) begins
    where i.indrelid = k.conrelid and i.indisvalid and begins.with_columns @> k.conkey and k.conkey @> begins.with_columns
      and (i.indpred is null or pg_get_expr(i.indpred, i.indrelid, true) = any (
        select c || ' IS NOT NULL' from unnest(named.columns) c)))
  order by 1`;

async function withoutIndex({ sql }: TestDatabase): Promise<string[]> {
  const known = new Set(
    (await sql`select tablename from pg_tables where schemaname = 'public'`).map((row) => row.tablename),
  );
  // Of the other database's tables and of common table expressions, this one knows nothing.
  const tables = [...new Set(await deletedFrom())].filter((name) => known.has(name));
  return (await sql.unsafe(WITHOUT_INDEX, [tables])).map(({ key }) => key);
}

test("every foreign key that a deletion follows has an index that finds the rows which name the deleted one", async () => {
  await using database = await freshDatabase({ max: 1 });
  expect(await withoutIndex(database)).toEqual([]);
});

test("a key whose index is partial in another way, or begins with another column, is listed", async () => {
  await using database = await freshDatabase({ max: 1 });
  await database.sql.unsafe(`
    drop index runs_by_group, auth_states_by_session;
    create index half on runs (assigned_group_id) where status = 'running';
    create index second on auth_states (expires_at, link_session_id);`);
  expect(await withoutIndex(database)).toEqual([
    "auth_states (link_session_id) -> sessions",
    "runs (assigned_group_id) -> runner_groups",
  ]);
});
