/**
 * Whether a configuration says where its state is kept: by a `backend` or a `cloud` block of its `terraform` block.
 * Only the engine reads a configuration for good; a file that it cannot read fails the run soon after.
 */
import { readdir, readFile, stat } from "node:fs/promises";
import path from "node:path";
import type { Tool } from "../engine/engine.ts";
import { isObject } from "../output/sensitiveValues.ts";
import { configurationFiles } from "./configurationFiles.ts";
import { SourceLines } from "./sourceLines.ts";

const BLOCKS = ["backend", "cloud"];
/** A larger file is generated, and no place for a backend. */
const MAX_BYTES = 16_777_216;

/** @param except names of files that count for nothing */
export async function namesBackend(directory: string, tool: Tool, except: readonly string[] = []): Promise<boolean> {
  const names = (await readdir(directory)).filter((name) => !except.includes(name));
  for (const name of configurationFiles(names, tool)) if (inText(await text(directory, name))) return true;
  for (const name of jsonFiles(names, tool)) if (inJson(await text(directory, name))) return true;
  return false;
}

function jsonFiles(names: readonly string[], tool: Tool): string[] {
  const endings = tool === "tofu" ? [".tf.json", ".tofu.json"] : [".tf.json"];
  return names.filter((name) => !name.startsWith(".") && endings.some((ending) => name.endsWith(ending)));
}

async function text(directory: string, name: string): Promise<string> {
  const file = path.join(directory, name);
  const found = await stat(file).catch(() => null);
  return found?.isFile() && found.size <= MAX_BYTES ? readFile(file, "utf8") : "";
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}]|[\p{ID_Start}_][\p{ID_Continue}-]*/gu;

/** A block's header and its brace stand on one line. */
export function inText(configuration: string): boolean {
  const lines = new SourceLines();
  const open: string[] = [];
  for (const line of configuration.split("\n")) {
    let header = "";
    for (const [token] of lines.next(line.replace(/\r$/, "")).code.matchAll(TOKEN)) {
      if (token === "{") {
        if (open.length === 1 && open[0] === "terraform" && BLOCKS.includes(header)) return true;
        open.push(header);
        header = "";
      } else if (token === "}") {
        open.pop();
        header = "";
      } else header ||= token;
    }
  }
  return false;
}

function inJson(configuration: string): boolean {
  let document: unknown;
  try {
    document = JSON.parse(configuration);
  } catch {
    return false;
  }
  const blocks = isObject(document) ? [document.terraform].flat() : [];
  return blocks.some((block) => isObject(block) && BLOCKS.some((name) => Object.hasOwn(block, name)));
}
