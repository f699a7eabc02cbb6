/** Drivers that the tree's attributes name: what git stores of such files is not what their author sees. */
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import path from "node:path";
import { RunFailed } from "../service/outcome.ts";

/** How files begin that git-crypt and transcrypt have encrypted. */
const ENCRYPTED = [Buffer.from("\0GITCRYPT\0"), Buffer.from("U2FsdGVkX1")];

/** Names of drivers in the attribute files of a tree, which are its own regular files. */
export async function filterNames(root: string, files: readonly string[]): Promise<string[]> {
  const names = new Set<string>();
  for (const file of files) {
    for (const line of (await regularFile(path.join(root, file))).split("\n")) {
      if (line.trimStart().startsWith("#")) continue;
      for (const [, name] of line.matchAll(/\sfilter=(\S+)/g)) names.add(name ?? "");
    }
  }
  return [...names];
}

/** git reads no attributes through a link. */
async function regularFile(file: string): Promise<string> {
  try {
    const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW);
    try {
      return await handle.readFile("utf8");
    } finally {
      await handle.close();
    }
  } catch {
    return "";
  }
}

/** Whether git can be asked which files a driver has. */
export function canBeListed(name: string): boolean {
  return /^[A-Za-z0-9_-]+$/.test(name);
}

/**
 * Says that files are as git stores them; a stack's own file that is encrypted would be planned with its ciphertext.
 * @param files below the tree's root, or null when git cannot list them
 * @throws RunFailed for such a file
 */
export async function unfilteredWarning(
  root: string,
  { name, files, directory }: { name: string; files: string[] | null; directory: string },
): Promise<string | null> {
  const driver = JSON.stringify(name.slice(0, 100));
  if (files === null)
    return `Files for git's filter ${driver} are as git stores them: this runner does not run that filter.`;
  const [first] = files;
  if (first === undefined) return null;
  for (const file of files) {
    if (!isBelow(directory, file) || !(await isEncrypted(path.join(root, file)))) continue;
    throw new RunFailed(`${file} is encrypted by git's filter ${driver}, which this runner cannot undo.`);
  }
  const more = files.length > 1 ? ` and ${files.length - 1} more` : "";
  return `${first}${more} went through git's filter ${driver}, which this runner does not run: they are as git stores them.`;
}

function isBelow(directory: string, file: string): boolean {
  const relative = path.relative(directory, file);
  return !relative.startsWith("..");
}

async function isEncrypted(file: string): Promise<boolean> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW).catch(() => null);
  if (handle === null) return false;
  try {
    const { bytesRead, buffer } = await handle.read({ buffer: Buffer.alloc(10) });
    return ENCRYPTED.some((start) => start.equals(buffer.subarray(0, Math.min(bytesRead, start.length))));
  } finally {
    await handle.close();
  }
}
