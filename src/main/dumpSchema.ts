/**
 * `npm run schema`: writes `drizzle/schema.sql`, the schema that the numbered files come to, out of a database that
 * they made. With `--check` it only compares.
 */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { migrate, migrateExplore } from "../platform/db/migrate.ts";
import { startPostgres } from "./dev/postgres.ts";
import { schemaText } from "./dev/schemaText.ts";

const FILE = new URL("../../drizzle/schema.sql", import.meta.url);

const folder = await mkdtemp(join(tmpdir(), "schema-"));
try {
  const server = await startPostgres({ dataDir: join(folder, "postgres"), logFile: join(folder, "log"), fast: true });
  try {
    await server.createDatabase("migrated");
    const url = server.url("migrated");
    await migrate(url);
    await migrateExplore(url);
    const sql = postgres(url, { max: 1 });
    const text = await schemaText(sql).finally(() => sql.end());
    if (!process.argv.includes("--check")) await writeFile(FILE, text);
    else if ((await readFile(FILE, "utf8")) !== text) {
      console.error("drizzle/schema.sql is not what the migrations come to: npm run schema");
      process.exitCode = 1;
    }
  } finally {
    await server.stop();
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
