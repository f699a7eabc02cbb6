import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";

/** What git takes for an empty repository. What else its `init` makes is of no use here, and a program costs more. */
export async function makeRepository(directory: string): Promise<void> {
  await mkdir(path.join(directory, "objects"), { recursive: true });
  await mkdir(path.join(directory, "refs"));
  await writeFile(path.join(directory, "HEAD"), "ref: refs/heads/main\n");
}
