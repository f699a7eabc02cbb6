import { readFile } from "node:fs/promises";
import path from "node:path";

/** What of a checked out tree git leaves to others. */
export interface TreeFeatures {
  /** Paths at which other repositories belong. */
  submodules: string[];
  /** Paths of files that say how others are to be treated, by git LFS for example. */
  attributes: string[];
}

const HEADER_BYTES = 12;
/** Of an entry before its name, with ids of SHA-1. */
const ENTRY_BYTES = 62;
const MODE_OFFSET = 24;
const FLAGS_OFFSET = 60;
const EXTENDED = 0x4000;
const GITLINK = 0o160000;

/**
 * Read from git's index, which costs no program. @throws for one of a form that `git checkout` does not write by itself
 */
export async function treeFeatures(root: string): Promise<TreeFeatures> {
  const index = await readFile(path.join(root, ".git", "index"));
  const version = index.readUInt32BE(4);
  if (index.toString("latin1", 0, 4) !== "DIRC" || version < 2 || version > 3) throw new Error("unknown index");
  const submodules: string[] = [];
  const attributes: string[] = [];
  let at = HEADER_BYTES;
  for (let left = index.readUInt32BE(8); left > 0; left -= 1) {
    const extended = (index.readUInt16BE(at + FLAGS_OFFSET) & EXTENDED) !== 0;
    const from = at + ENTRY_BYTES + (extended ? 2 : 0);
    const end = index.indexOf(0, from);
    const name = index.toString("utf8", from, end);
    if (index.readUInt32BE(at + MODE_OFFSET) === GITLINK) submodules.push(name);
    if (name === ".gitattributes" || name.endsWith("/.gitattributes")) attributes.push(name);
    // Entries are padded with one to eight zeros to a multiple of eight bytes.
    at += Math.ceil((end + 1 - at) / 8) * 8;
  }
  return { submodules, attributes };
}
