/** `npm run schema`: writes `drizzle/schema.sql`, the schema that the numbered files come to, out of a database that they made. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
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
    await writeFile(FILE, await schemaText(sql).finally(() => sql.end()));
  } finally {
    await server.stop();
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
