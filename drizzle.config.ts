/**
 * For drizzle-kit's browser (`npx drizzle-kit studio`); migrations are numbered SQL, applied by
 * `src/platform/db/migrate.ts`.
 */
import { defineConfig } from "drizzle-kit";

export default defineConfig({
  dialect: "postgresql",
  schema: "./src/**/schema.ts",
  out: "./drizzle",
  dbCredentials: { url: process.env.SVC_DATABASE_URL ?? "" },
});
