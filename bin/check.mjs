// `npm run check`: types, lint, unused code and whatever must agree with the code. Runs all of them, then says which
// failed.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

const steps = [
  ["types", "node_modules/typescript/bin/tsc", "--noEmit"],
  ["types of the console", "node_modules/typescript/bin/tsc", "--noEmit", "-p", "console"],
  ["lint", "node_modules/@biomejs/biome/bin/biome", "ci", "--error-on-warnings"],
  ["unused code", "node_modules/knip/bin/knip.js"],
  ["direction of imports", "bin/checkDistricts.ts"],
  ["references in comments and docs", "bin/checkReferences.ts"],
  ["writers of domain events", "bin/checkWriters.ts"],
  ["schema of the migrated database", "src/main/dumpSchema.ts", "--check"],
  ["width of comments", "bin/checkComments.ts"],
  ["workflow bundle contents", "src/main/checkBundle.ts"],
  ["OpenAPI document", "src/main/openapi.ts", "--check"],
  ["types of the clients", "clients/api/generate.ts", "--check"],
].filter(([, file]) => existsSync(file));

const failed = [];
for (const [name, ...argv] of steps) {
  const started = performance.now();
  const { status } = spawnSync(process.execPath, argv, { stdio: "inherit" });
  console.log(`${status === 0 ? "ok    " : "FAILED"} ${name} (${Math.round(performance.now() - started)} ms)`);
  if (status !== 0) failed.push(name);
}
if (failed.length > 0) {
  console.error(`check failed: ${failed.join(", ")}`);
  process.exitCode = 1;
}
