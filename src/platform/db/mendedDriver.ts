/**
 * Ends a process whose Postgres driver lacks the mends of `patches/`. Such a driver would end it when a connection is
 * lost, or commit half of a transaction. This happens at import: by its first connection a program has begun to work.
 */
import postgres from "postgres";

/** The driver's release, and the number of our patch on it. The patch says the same. */
const MENDED = "3.4.9+1";

if (postgres.mended !== MENDED) {
  const found = postgres.mended ?? "none";
  // One patch does not apply over another.
  const remedy = found === "none" ? "npm run mend" : "npm ci";
  console.error(`The Postgres driver lacks the mends of patches/ (needed: ${MENDED}, found: ${found}). Run: ${remedy}`);
  process.exit(1);
}
