/** What the console is made of: a built one is as good as new while none of this has changed. */
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** @param root the repository */
export async function hashOfSources(root: string): Promise<string> {
  const folders = ["console/src", "console/build", "clients"];
  const found = await Promise.all(folders.map((folder) => filesBelow(root, folder)));
  const files = [...found.flat(), "console/index.html", "console/tsconfig.json", "package-lock.json"].sort();
  const contents = await Promise.all(files.map((file) => readFile(join(root, file))));
  const hash = createHash("sha256");
  for (const [index, file] of files.entries()) hash.update(`${file}\0`).update(contents[index]!).update("\0");
  return hash.digest("hex");
}

async function filesBelow(root: string, folder: string): Promise<string[]> {
  const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && !entry.name.includes(".test."))
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
}
