/** The Drizzle definitions describe the database that the numbered SQL makes: no column may drift. */
import { getTableName, is, Table } from "drizzle-orm";
import { getTableConfig, type PgTable } from "drizzle-orm/pg-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as schema from "../../drizzle/schema.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await freshDatabase({ max: 1 });
});
afterAll(() => database.close());

const tables = Object.values(schema).filter((value) => is(value, Table)) as unknown as PgTable[];

/** `timestamp with time zone` and the like, as Postgres spells the type in a definition. */
async function columnsOfDatabase(): Promise<string[]> {
  const rows = await database.sql`
    select c.relname || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
      || case when a.attnotnull then ' not null' else '' end || case when a.atthasdef or a.attidentity <> '' then ' default' else '' end as line
    from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'public' and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped and c.relname <> 'schema_migrations'
    order by 1`;
  return rows.map((row) => row.line as string).sort();
}

function columnsOfDefinitions(): string[] {
  return tables
    .flatMap((table) => {
      const composite = getTableConfig(table).primaryKeys.flatMap((key) => key.columns.map((column) => column.name));
      return getTableConfig(table).columns.map((column) => {
        const notNull = column.notNull || composite.includes(column.name) ? " not null" : "";
        const byDefault =
          column.hasDefault || column.generatedIdentity !== undefined || column.generated !== undefined
            ? " default"
            : "";
        return `${getTableName(table)}.${column.name} ${column.getSQLType()}${notNull}${byDefault}`;
      });
    })
    .sort();
}

test("every column has the same name, type, nullability and presence of a default on both sides", async () => {
  expect(columnsOfDefinitions()).toEqual(await columnsOfDatabase());
});

test("every table has a definition, once", async () => {
  const rows = await database.sql`
    select tablename from pg_tables where schemaname = 'public' and tablename <> 'schema_migrations' order by 1`;
  expect(tables.map((table) => getTableName(table)).sort()).toEqual(rows.map((row) => row.tablename));
});
