/**
 * `.deploy.json`, here or upward in the tree: which stack this directory is of. It may come with a clone from
 * anywhere, so it never says which service is called.
 */
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { usage } from "../exit/failure.ts";

const NAME = ".deploy.json";
const FORM = 'It is to be {"stack": "NAME"}; deploy stacks lists their names';

export async function stackOfFile(from: string): Promise<string | null> {
  for (let directory = from; ; directory = dirname(directory)) {
    const file = join(directory, NAME);
    const text = await readFile(file, "utf8").catch(() => null);
    if (text !== null) return stackIn(text, file);
    if (dirname(directory) === directory) return null;
  }
}

function stackIn(text: string, file: string): string {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    throw usage(`${file} is no JSON.`, FORM);
  }
  const stack = (content as { stack?: unknown } | null)?.stack;
  if (typeof stack !== "string" || stack === "") throw usage(`${file} names no stack.`, FORM);
  return stack;
}
