/** The declarations in the rooms' `schema.ts` describe the databases that the numbered SQL makes: nothing may drift. */
import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { getTableName } from "drizzle-orm";
import { getTableConfig, type PgTable } from "drizzle-orm/pg-core";
import { expect } from "vitest";
import { schemaText } from "../../src/main/dev/schemaText.ts";
import { declaredTables, ROOT } from "../support/declaredTables.ts";
import { databaseTest } from "../support/test.ts";

/** Made by the migrator itself, in each of the two databases, before any migration. */
const OF_THE_MIGRATOR = "schema_migrations";

/** `explore.stacks`, `public.stacks`: the two databases have tables of the same name. */
function fullName(table: PgTable): string {
  return `${getTableConfig(table).schema ?? "public"}.${getTableName(table)}`;
}

const test = databaseTest({ max: 1 }).extend("world", { scope: "file" }, async ({ database }) => {
  const tables = await declaredTables();

  /** `timestamp with time zone` and the like, as Postgres spells the type in a definition. */
  async function columnsOfDatabase(): Promise<string[]> {
    const rows = await database.sql`
      select n.nspname || '.' || c.relname || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
        || case when a.attnotnull then ' not null' else '' end || case when a.atthasdef or a.attidentity <> '' then ' default' else '' end as line
      from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
      where n.nspname in ('public', 'explore') and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped
        and c.relname <> ${OF_THE_MIGRATOR}`;
    return rows.map((row) => row.line as string).sort();
  }

  function columnsOfDeclarations(): string[] {
    return tables
      .flatMap((table) => {
        const { columns, primaryKeys } = getTableConfig(table);
        const composite = primaryKeys.flatMap((key) => key.columns.map((column) => column.name));
        return columns.map((column) => {
          const notNull = column.notNull || composite.includes(column.name) ? " not null" : "";
          const byDefault =
            column.hasDefault || column.generatedIdentity !== undefined || column.generated !== undefined
              ? " default"
              : "";
          return `${fullName(table)}.${column.name} ${column.getSQLType()}${notNull}${byDefault}`;
        });
      })
      .sort();
  }

  return { columnsOfDatabase, columnsOfDeclarations, tables };
});

test("every column has the same name, type, nullability and presence of a default on both sides", async ({ world }) => {
  expect(world.columnsOfDeclarations()).toEqual(await world.columnsOfDatabase());
});

test("every table is declared, once", async ({ database, world }) => {
  const rows = await database.sql`
    select schemaname || '.' || tablename as name from pg_tables
    where schemaname in ('public', 'explore') and tablename <> ${OF_THE_MIGRATOR}`;
  expect(world.tables.map(fullName).sort()).toEqual(rows.map(({ name }) => name as string).sort());
});

test("tables are declared in the schema.ts of a room and nowhere else", async () => {
  const elsewhere = globSync("src/**/*.ts", { cwd: ROOT }).filter((file) => !file.endsWith("/schema.ts"));
  const declaring = await Promise.all(
    elsewhere.map(
      async (file) => [file, /\bpgTable\(|\bpgSchema\(/.test(await readFile(ROOT + file, "utf8"))] as const,
    ),
  );
  expect(declaring.filter(([, declares]) => declares).map(([file]) => file)).toEqual([]);
});

test("the values a declaration allows are those that the database's check allows", async ({ database, world }) => {
  const rows = await database.sql`
    select n.nspname || '.' || c.relname || '.' || a.attname as column, pg_get_constraintdef(k.oid) as definition
    from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_namespace n on n.oid = c.relnamespace
    join pg_attribute a on a.attrelid = c.oid and a.attnum = k.conkey[1]
    where k.contype = 'c' and cardinality(k.conkey) = 1`;
  const checked = new Map(
    rows
      .filter(({ definition }) => /^CHECK \(\(\w+ = ANY \(ARRAY\[[^\]]*\]\)\)\)$/.test(definition))
      .map(({ column, definition }) => [
        column as string,
        [...(definition as string).matchAll(/'([^']*)'::text/g)].map(([, value]) => value!),
      ]),
  );
  const declared = world.tables.flatMap((table) =>
    getTableConfig(table)
      .columns.filter((column) => checked.has(`${fullName(table)}.${column.name}`))
      .map((column) => [`${fullName(table)}.${column.name}`, column.enumValues ?? []] as const),
  );
  expect(declared.length).toBe(checked.size);
  for (const [column, values] of declared) expect([...values].sort(), column).toEqual(checked.get(column)!.sort());
});

test("drizzle/schema.sql shows what the migrations make", async ({ database }) => {
  const stored = await readFile(`${ROOT}drizzle/schema.sql`, "utf8");
  expect(stored, "drizzle/schema.sql is not what the migrations make; run: npm run schema").toBe(
    await schemaText(database.sql),
  );
});
