import { realpath, stat } from "node:fs/promises";
import path from "node:path";
import { RunFailed } from "../service/outcome.ts";

/**
 * The stack's directory inside the files of a run; it stays inside them, also through symbolic links.
 * @param where says in a refusal where it was looked for, for example `at this commit`
 * @throws RunFailed when there is no such directory
 */
export async function stackDirectory(files: string, workingDirectory: string, where: string): Promise<string> {
  const missing = new RunFailed(`The working directory ${JSON.stringify(workingDirectory)} does not exist ${where}.`);
  const root = await realpath(files);
  const directory = await realpath(path.resolve(root, workingDirectory)).catch(() => null);
  if (directory === null || !(await stat(directory)).isDirectory()) throw missing;
  const relative = path.relative(root, directory);
  if (relative === ".." || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative)) throw missing;
  return directory;
}
