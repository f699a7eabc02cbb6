/** No line of a comment is longer than lines of code may be. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { longComments, WIDTH } from "./longComments.ts";

/** Declarations are made by programs. */
const SOURCE = /(?<!\.d)\.(?:tsx?|mjs)$/;

const root = new URL("../", import.meta.url);
const tracked = execFileSync("git", ["ls-files", "-z"], { cwd: root, encoding: "utf8" }).split("\0");
const long = tracked
  .filter((path) => SOURCE.test(path))
  .flatMap((path) => longComments(readFileSync(new URL(path, root), "utf8")).map((line) => `${path}:${line}`));
if (long.length > 0) {
  console.error(`comments longer than ${WIDTH} characters:\n  ${long.join("\n  ")}`);
  process.exitCode = 1;
}
