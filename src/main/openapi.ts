/**
 * `npm run openapi`: writes `docs/openapi.json` out of the routes themselves; `-- --check` only says whether it is up
 * to date.
 */
import { readFile, writeFile } from "node:fs/promises";
import { describeApi } from "./app/openapi.ts";

const FILE = new URL("../../docs/openapi.json", import.meta.url);

const document = `${JSON.stringify(await describeApi(), null, 2)}\n`;
if (process.argv.includes("--check")) {
  const stored = await readFile(FILE, "utf8").catch(() => "");
  if (stored !== document) {
    console.error("docs/openapi.json is not what the routes say; run: npm run openapi");
    process.exitCode = 1;
  }
} else {
  await writeFile(FILE, document);
}
