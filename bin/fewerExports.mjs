// Leaves in `exports` of a package only what this repository imports.
//
// Node parses a package's `exports` anew for each of its modules that it loads. Those of drizzle-orm are 150 KB and its
// modules a hundred: that was more than half of the time in which a service loads its code.
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/** What is imported, by package. A path that is missing here fails at its import, with its name. */
const KEPT = { "drizzle-orm": [".", "./pg-core", "./postgres-js"] };

for (const [name, paths] of Object.entries(KEPT)) {
  const file = join(ROOT, "node_modules", name, "package.json");
  const manifest = JSON.parse(readFileSync(file, "utf8"));
  manifest.exports = Object.fromEntries(paths.map((path) => [path, manifest.exports[path]]));
  // Not in place: the file may be shared by name with other checkouts.
  writeFileSync(`${file}.new`, `${JSON.stringify(manifest, null, 2)}\n`);
  renameSync(`${file}.new`, file);
}
