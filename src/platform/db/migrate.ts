/** Applies the numbered SQL files of `drizzle/` and `drizzle-explore/` in order, each once, under one advisory lock. */
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import postgres from "postgres";
import { databaseAddress } from "./address.ts";

/** The lock is any constant: two processes that boot together must not migrate together. */
const MAIN = { folder: new URL("../../../drizzle/", import.meta.url), schema: "public", lock: 7_261_550_001 };
/** In a schema of its own, so that the two may share a database. */
const EXPLORE = {
  folder: new URL("../../../drizzle-explore/", import.meta.url),
  schema: "explore",
  lock: 7_261_550_002,
};

/**
 * Bring the database at `url` to the newest schema; a no-op when it is there already.
 * @throws when an applied file has been edited since: migrations are history.
 */
export async function migrate(url: string): Promise<{ applied: string[] }> {
  return migrateTo(url, MAIN);
}

/** The same for the explore database. */
export async function migrateExplore(url: string): Promise<{ applied: string[] }> {
  return migrateTo(url, EXPLORE);
}

async function migrateTo(url: string, { folder, schema, lock }: typeof MAIN): Promise<{ applied: string[] }> {
  const { url: address, ssl } = databaseAddress(url);
  const sql = postgres(address, { ssl, max: 1, onnotice: () => {} });
  const applied: string[] = [];
  const migrations = sql(`${schema}.schema_migrations`);
  try {
    await sql`select pg_advisory_lock(${lock})`;
    await sql`create schema if not exists ${sql(schema)}`;
    await sql`create table if not exists ${migrations} (
      name text primary key, sha256 text not null, applied_at timestamptz not null default clock_timestamp())`;
    const done = new Map((await sql`select name, sha256 from ${migrations}`).map((r) => [r.name, r.sha256]));
    const files = (await readdir(folder)).filter((f) => /^\d{4}_.*\.sql$/.test(f)).sort();
    for (const name of files) {
      const text = await readFile(new URL(name, folder), "utf8");
      const sha256 = createHash("sha256").update(text).digest("hex");
      if (done.has(name)) {
        if (done.get(name) !== sha256) throw new Error(`migration ${name} was edited after it had been applied`);
        continue;
      }
      await sql.begin(async (tx) => {
        await tx.unsafe(text);
        await tx`insert into ${tx(`${schema}.schema_migrations`)} (name, sha256) values (${name}, ${sha256})`;
      });
      applied.push(name);
    }
  } finally {
    await sql.end();
  }
  return { applied };
}
