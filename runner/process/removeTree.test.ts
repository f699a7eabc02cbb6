import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it } from "vitest";
import { removeTree } from "./removeTree.ts";

const isRoot = process.getuid?.() === 0;
/** Deeper than a path can name. */
const DEEP = 'for (let i = 0; i < 2_000; i++) { fs.mkdirSync("deeper"); process.chdir("deeper"); }';

it("removes a folder whose path is too long, and leaves where a link leads", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "deep-"));
  const other = mkdtempSync(path.join(tmpdir(), "other-"));
  execFileSync("sh", ["-c", `ln -s ${other} link && touch ${other}/file`], { cwd: folder });
  execFileSync(process.execPath, ["--eval", DEEP], { cwd: folder });
  await removeTree(folder);
  expect(existsSync(folder)).toBe(false);
  expect(readdirSync(other)).toEqual(["file"]);
  await removeTree(other);
  await removeTree(other);
});

it("removes what its owner may not write to, as caches of modules are", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "closed-"));
  execFileSync("sh", ["-c", "mkdir -p cache/module && touch cache/module/file && chmod -R a-w cache"], { cwd: folder });
  const { href } = new URL("removeTree.ts", import.meta.url);
  const script = `import { removeTree } from ${JSON.stringify(href)}; await removeTree(${JSON.stringify(folder)});`;
  if (isRoot) execFileSync("chown", ["-R", "3000200", folder]);
  const node = [process.execPath, "--input-type=module", "--eval", script];
  const [program = "", ...args] = isRoot ? ["setpriv", "--reuid", "3000200", "--clear-groups", ...node] : node;
  execFileSync(program, args, { cwd: "/" });
  expect(existsSync(folder)).toBe(false);
});
