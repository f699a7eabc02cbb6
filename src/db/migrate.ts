/** Applies the numbered SQL files of `drizzle/` in order, each once, under one advisory lock. */
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import postgres from "postgres";

const FOLDER = new URL("../../drizzle/", import.meta.url);
/** Any constant: two processes that boot together must not migrate together. */
const LOCK = 7_261_550_001;

/**
 * Bring the database at `url` to the newest schema; a no-op when it is there already.
 * @throws when an applied file has been edited since: migrations are history.
 */
export async function migrate(url: string): Promise<{ applied: string[] }> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  const applied: string[] = [];
  try {
    await sql`select pg_advisory_lock(${LOCK})`;
    await sql`create table if not exists schema_migrations (
      name text primary key, sha256 text not null, applied_at timestamptz not null default clock_timestamp())`;
    const done = new Map((await sql`select name, sha256 from schema_migrations`).map((r) => [r.name, r.sha256]));
    const files = (await readdir(FOLDER)).filter((f) => /^\d{4}_.*\.sql$/.test(f)).sort();
    for (const name of files) {
      const text = await readFile(new URL(name, FOLDER), "utf8");
      const sha256 = createHash("sha256").update(text).digest("hex");
      if (done.has(name)) {
        if (done.get(name) !== sha256) throw new Error(`migration ${name} was edited after it had been applied`);
        continue;
      }
      await sql.begin(async (tx) => {
        await tx.unsafe(text);
        await tx`insert into schema_migrations (name, sha256) values (${name}, ${sha256})`;
      });
      applied.push(name);
    }
  } finally {
    await sql.end();
  }
  return { applied };
}
