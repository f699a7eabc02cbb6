/**
 * `npm run openapi`, second half: writes the types of every route out of docs/openapi.json; with `--check` it only says
 * whether they are up to date.
 */
import { readFile, writeFile } from "node:fs/promises";
import { registerHooks } from "node:module";

// The generator is written against the compiler API that TypeScript had up to 5.
registerHooks({
  resolve: (specifier, context, next) => next(specifier === "typescript" ? "typescript-5" : specifier, context),
});
const { astToString, default: openapiTS } = await import("openapi-typescript");

const DOCUMENT = new URL("../../docs/openapi.json", import.meta.url);
const TYPES = new URL("schema.d.ts", import.meta.url);

const document = JSON.parse(await readFile(DOCUMENT, "utf8"));
const types = `// Made from docs/openapi.json by \`npm run openapi\`.\n${astToString(await openapiTS(document))}`;
if (process.argv.includes("--check")) {
  if ((await readFile(TYPES, "utf8").catch(() => "")) !== types) {
    console.error("clients/api/schema.d.ts is not what docs/openapi.json says; run: npm run openapi");
    process.exitCode = 1;
  }
} else {
  await writeFile(TYPES, types);
}
