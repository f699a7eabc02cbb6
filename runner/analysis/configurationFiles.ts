import { createReadStream } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import path from "node:path";
import { CommentScanner, TooManyDirectives } from "./commentScanner.ts";
import type { CurrentStack } from "./template.ts";

/** A longer line leaves the dependencies as they were (docs/rules/graph.md#malformed-comments-are-ignored-whole). */
const MAX_LINE_BYTES = 1_048_576;
const NEWLINE = 0x0a;

class LineTooLong extends Error {
  override name = "LineTooLong";
}

/** What the comments say, or why that is unknown, for the run's log. */
export type Scanned = { scanner: CommentScanner; unknown: null } | { scanner: null; unknown: string };

/**
 * Reads the comments of the configuration files in a stack's directory itself; modules in directories below declare for
 * themselves. A file that cannot be read makes all of it unknown, since what stands in it might declare more. Never
 * throws.
 */
export async function scanConfiguration(
  directory: string,
  tool: "terraform" | "tofu",
  stack: CurrentStack,
): Promise<Scanned> {
  const scanner = new CommentScanner(stack);
  let reading = "the directory";
  try {
    for (const name of configurationFiles(await readdir(directory), tool)) {
      reading = JSON.stringify(name);
      await scanFile(path.join(directory, name), name, scanner);
    }
    return { scanner, unknown: null };
  } catch (error) {
    if (error instanceof TooManyDirectives) return { scanner: null, unknown: error.message };
    if (error instanceof LineTooLong) {
      return { scanner: null, unknown: `${reading} has a line of more than ${MAX_LINE_BYTES} bytes` };
    }
    const code = (error as NodeJS.ErrnoException).code ?? (error as Error).name;
    return { scanner: null, unknown: `${reading} cannot be read (${code})` };
  }
}

/**
 * The files the engine itself reads, in the order of their names: a file that only the other engine knows declares
 * nothing.
 */
export function configurationFiles(names: readonly string[], tool: "terraform" | "tofu"): string[] {
  const read = names.filter((name) => !name.startsWith(".") && !name.startsWith("#"));
  const terraform = read.filter((name) => name.endsWith(".tf"));
  if (tool === "terraform") return terraform.sort();
  const tofu = read.filter((name) => name.endsWith(".tofu"));
  const replaced = new Set(tofu.map((name) => `${name.slice(0, -".tofu".length)}.tf`));
  return [...tofu, ...terraform.filter((name) => !replaced.has(name))].sort();
}

/** Line by line, so that no file is ever in memory as a whole. @throws LineTooLong, TooManyDirectives, system errors */
async function scanFile(file: string, name: string, scanner: CommentScanner): Promise<void> {
  // A directory by such a name is none of the engine's files; a pipe would never end.
  if (!(await stat(file)).isFile()) return;
  const { line, end } = scanner.file(name);
  const take = (bytes: Buffer) => line(bytes.toString("utf8").replace(/^\uFEFF|\r$/g, ""));
  let parts: Buffer[] = [];
  let length = 0;
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); ; at = chunk.indexOf(NEWLINE, from)) {
      const piece = chunk.subarray(from, at === -1 ? chunk.length : at);
      length += piece.length;
      if (length > MAX_LINE_BYTES) throw new LineTooLong();
      parts.push(piece);
      if (at === -1) break;
      take(Buffer.concat(parts));
      parts = [];
      length = 0;
      from = at + 1;
    }
  }
  if (length > 0) take(Buffer.concat(parts));
  end();
}
