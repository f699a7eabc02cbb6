/** Which files of a tree go into a local plan, all of them looked at before anything is packed. */
import { lstat, readdir, readFile, readlink } from "node:fs/promises";
import { join } from "node:path";
import { assertLink, assertName, LEAVE_OUT, MAX_BYTES, MAX_ENTRIES, refused, shown } from "./entryRules.ts";
import { type Rules, rulesOf } from "./ignoreRules.ts";

export type Tree = {
  root: string;
  /** From the root, with `/`; directories before what is in them. */
  paths: string[];
  bytes: number;
};

/** @throws Failure: usage, naming what a runner would refuse */
export async function collectTree(root: string): Promise<Tree> {
  const rules = rulesOf(await readFile(join(root, ".terraformignore"), "utf8").catch(() => null));
  const tree: Tree = { root, paths: [], bytes: 0 };
  const largest = { path: "", bytes: 0 };
  await walk("");
  if (tree.paths.length === 0)
    throw refused("there is no file in it", "See what .gitignore and .terraformignore leave out");
  return tree;

  async function walk(directory: string): Promise<void> {
    await takeRules(rules, root, directory);
    const entries = await readdir(join(root, directory), { withFileTypes: true, encoding: "buffer" });
    const named = entries.map((entry) => ({ entry, name: textOf(entry.name, directory) }));
    for (const { entry, name } of named.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = directory === "" ? name : `${directory}/${name}`;
      if (rules.leavesOut(path, entry.isDirectory())) continue;
      assertName(path);
      tree.paths.push(path);
      if (tree.paths.length > MAX_ENTRIES) throw refused(`it has more than ${MAX_ENTRIES} files`, LEAVE_OUT);
      if (entry.isDirectory()) await walk(path);
      else if (entry.isSymbolicLink()) assertLink(path, await readlink(join(root, path)));
      else if (entry.isFile()) await count(path);
      else throw refused(`${shown(path)} is no file, directory or link`, LEAVE_OUT);
    }
  }

  async function count(path: string): Promise<void> {
    const { size } = await lstat(join(root, path));
    tree.bytes += size;
    if (size > largest.bytes) Object.assign(largest, { path, bytes: size });
    if (tree.bytes > MAX_BYTES) {
      throw refused(`it has more than ${MAX_BYTES} bytes; its largest file is ${shown(largest.path)}`, LEAVE_OUT);
    }
  }
}

async function takeRules(rules: Rules, root: string, directory: string): Promise<void> {
  const text = await readFile(join(root, directory, ".gitignore"), "utf8").catch(() => null);
  if (text !== null) rules.add(directory, text);
}

function textOf(name: Buffer, directory: string): string {
  const text = name.toString("utf8");
  if (!Buffer.from(text, "utf8").equals(name))
    throw refused(`a name in ${shown(directory || ".")} is not UTF-8`, LEAVE_OUT);
  return text;
}
