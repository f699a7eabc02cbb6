/**
 * Every page, heading and file that a comment or a page names exists, and nothing cites a text that is not in the
 * repository (docs/rules/README.md).
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { brokenReferences, type Tree } from "./references/resolve.ts";

const READ = /\.(?:ts|mjs|sql|md|json|ya?ml)$|(?:^|\/)Dockerfile$/;
/**
 * Not read: what tools write, and this check's own examples. Applied migrations keep their old citations, since
 * `migrate` refuses an edited one; `docs/rules/old-citations.md` says what those mean, and names each such migration.
 */
const GENERATED = /^(?:package-lock\.json|docs\/openapi\.json|drizzle\/schema\.sql|test\/histories\/.*\.json)$/;
const EXAMPLES = "bin/references/";
const OLD_CITATIONS = "docs/rules/old-citations.md";

const root = new URL("../", import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), "utf8");
const tracked = execFileSync("git", ["ls-files", "-z"], { cwd: root, encoding: "utf8" }).split("\0").filter(Boolean);
const excused = new Set([
  OLD_CITATIONS,
  ...read(OLD_CITATIONS)
    .matchAll(/`(drizzle\/\d{4}_\w+\.sql)`/g)
    .map(([, path]) => path!),
]);

const tree: Tree = new Map(
  tracked.map((path) => [
    path,
    READ.test(path) && !GENERATED.test(path) && !path.startsWith(EXAMPLES) ? read(path) : null,
  ]),
);
const broken = brokenReferences(tree, excused);
if (broken.length > 0) {
  console.error(`references that lead nowhere:\n  ${broken.join("\n  ")}`);
  process.exitCode = 1;
}
