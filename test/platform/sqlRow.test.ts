/** What the driver answers to statements sent as SQL is what the row types say, for every kind of column there is. */
import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  doublePrecision,
  getTableConfig,
  integer,
  jsonb,
  type PgTable,
  pgTable,
  smallint,
  text,
  uuid,
} from "drizzle-orm/pg-core";
import { expect } from "vitest";
import { bytea, instant } from "../../src/platform/db/columns.ts";
import type { Joined, NamedRow, SqlRow } from "../../src/platform/db/sqlRow.ts";
import { declaredTables } from "../support/declaredTables.ts";
import { databaseTest } from "../support/test.ts";

/** One column of each kind; a column that may be null beside one that may not. */
const samples = pgTable("samples", {
  id: uuid("id").notNull(),
  name: text("name").notNull(),
  status: text("status", { enum: ["open", "closed"] }),
  madeAt: instant("made_at").notNull(),
  sizeBytes: bigint("size_bytes", { mode: "number" }).notNull(),
  count: integer("count"),
  rank: smallint("rank"),
  tokens: doublePrecision("tokens").notNull(),
  hidden: boolean("hidden").notNull(),
  labels: jsonb("labels").$type<Record<string, string>>().notNull(),
  sealed: bytea("sealed").notNull(),
  groups: text("groups").array().notNull(),
  stackKeys: uuid("stack_keys").array(),
});

const ID = "019ac000-0000-7000-8000-000000000001";
const SAMPLE = sql`(select ${ID}::uuid as id, 'a' as name, 'open' as status, '2026-11-28 00:43:37.123456+00'::timestamptz as made_at,
  9007199254740993::bigint as size_bytes, 3 as count, 2::smallint as rank, 0.5::float8 as tokens, true as hidden, '{"team": "core"}'::jsonb as labels,
  '\\x0102'::bytea as sealed, array['x', 'y y'] as groups, array[${ID}::uuid] as stack_keys) s`;

const test = databaseTest({ max: 1 });

test("each column arrives as its row type says", async ({ database }) => {
  const [row] = await database.db.execute<SqlRow<typeof samples>>(sql`select * from ${SAMPLE}`);
  const expected: SqlRow<typeof samples> = {
    id: ID,
    name: "a",
    status: "open",
    made_at: "2026-11-28 00:43:37.123456+00",
    size_bytes: "9007199254740993",
    count: 3,
    rank: 2,
    tokens: 0.5,
    hidden: true,
    labels: { team: "core" },
    sealed: Buffer.from([1, 2]),
    groups: ["x", "y y"],
    stack_keys: [ID],
  };
  expect(row).toEqual(expected);
});

test("so it does under its property's name, and as null where it may be", async ({ database }) => {
  type Row = NamedRow<typeof samples, "sizeBytes"> &
    SqlRow<typeof samples, "status"> &
    Joined<SqlRow<typeof samples, "id">>;
  const [row] = await database.db.execute<Row>(sql`
    select size_bytes as "sizeBytes", null as status, null as id from ${SAMPLE}`);
  const expected: Row = { sizeBytes: "9007199254740993", status: null, id: null };
  expect(row).toEqual(expected);
});

test("no table has a column of another kind", async () => {
  const kinds = (table: PgTable) =>
    getTableConfig(table).columns.map((column) => `${column.columnType} ${column.getSQLType()}`);
  const known = kinds(samples);
  for (const table of await declaredTables()) {
    expect(
      kinds(table).filter((kind) => !known.includes(kind)),
      getTableConfig(table).name,
    ).toEqual([]);
  }
});
