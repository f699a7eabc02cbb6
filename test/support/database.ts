/** A database of its own for each test file, cloned from the migrated template, with a clock that tests can move. */
import { randomBytes } from "node:crypto";
import postgres from "postgres";
import { inject } from "vitest";
import { connect, type Db } from "../../src/platform/db/client.ts";

export type TestDatabase = {
  url: string;
  /** The product's own pool. */
  db: Db;
  /** Bare SQL for arranging and looking, apart from the pool under test. */
  sql: postgres.Sql;
  /** Move `svc_now()` of this database by this many milliseconds; it goes on running from there. */
  advanceClock(ms: number): Promise<void>;
  /** Set `svc_now()` to this RFC 3339 time; it goes on running from there. */
  setClock(time: string): Promise<void>;
  /** Stop `svc_now()` at this time as Postgres writes it, to the microsecond, until it is moved or set again. */
  stopClock(time: string): Promise<void>;
  /** Close both pools and drop the database, whoever else is still connected. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

/** Clone the template. Call it in `beforeAll` (and `close()` in `afterAll`), or with `await using` inside a test. */
export async function freshDatabase(options: { max?: number } = {}): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString("hex")}`;
  await maintain((sql) => sql`create database ${sql(name)} template ${sql(inject("templateDatabase"))}`);
  const address = new URL(inject("postgresUrl"));
  address.pathname = `/${name}`;
  return databaseAt(address.href, {
    ...options,
    closed: () => maintain((admin) => admin`drop database if exists ${admin(name)} with (force)`),
  });
}

/** A database that is there already, of whichever server. */
export function databaseAt(
  url: string,
  { max = 10, closed }: { max?: number; closed?: () => Promise<void> } = {},
): TestDatabase {
  const db = connect(url, { max, name: "test" });
  const sql = postgres(url, { max: 3, onnotice: () => {}, connection: { application_name: "test-support" } });
  const close = async () => {
    await Promise.all([db.$client.end({ timeout: 5 }), sql.end({ timeout: 5 })]);
    await closed?.();
  };
  return { url, db, sql, ...clock(sql), close, [Symbol.asyncDispose]: close };
}

async function maintain(statement: (sql: postgres.Sql) => Promise<unknown>): Promise<void> {
  const sql = postgres(inject("postgresUrl"), { max: 1, onnotice: () => {} });
  try {
    await statement(sql);
  } finally {
    await sql.end();
  }
}

/** The product's `svc_now()` stays in place until a test moves time for the first time. */
function clock(sql: postgres.Sql): Pick<TestDatabase, "advanceClock" | "setClock" | "stopClock"> {
  let installed: Promise<unknown> | undefined;
  const install = () => {
    installed ??= sql.begin(async (tx) => {
      await tx`create table test_clock (shift interval not null, stopped timestamptz)`;
      await tx`insert into test_clock values ('0')`;
      await tx`create or replace function svc_now() returns timestamptz language sql volatile parallel safe
        as 'select coalesce(stopped, clock_timestamp() + shift) from public.test_clock'`;
    });
    return installed;
  };
  return {
    async advanceClock(ms) {
      await install();
      await sql`update test_clock set stopped = null, shift = shift + ${ms} * interval '1 millisecond'`;
    },
    async setClock(time) {
      await install();
      await sql`update test_clock set stopped = null, shift = ${time}::timestamptz - clock_timestamp()`;
    },
    async stopClock(time) {
      await install();
      await sql`update test_clock set stopped = ${time}::text::timestamptz`;
    },
  };
}
