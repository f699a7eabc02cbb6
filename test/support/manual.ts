/** The code that people are shown, as it stands in the README and the manual. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export type Block = { page: string; line: number; language: string; code: string };

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** Every fenced block, page by page and in order; without the indent of a list that it stands in. */
export function manualBlocks(): Block[] {
  const pages = ["README.md", ...readdirSync(join(ROOT, "docs"), { recursive: true }).map((name) => `docs/${name}`)];
  return pages.filter((page) => page.endsWith(".md")).flatMap(blocksOf);
}

function blocksOf(page: string): Block[] {
  const blocks: Block[] = [];
  let open: (Block & { indent: string }) | null = null;
  for (const [at, text] of readFileSync(join(ROOT, page), "utf8").split("\n").entries()) {
    const fence = /^( *)```(.*)$/.exec(text);
    if (open === null && fence) {
      open = { page, line: at + 1, language: fence[2] ?? "", code: "", indent: fence[1] ?? "" };
    } else if (open !== null && fence) {
      const { indent: _, ...block } = open;
      blocks.push(block);
      open = null;
    } else if (open !== null) open.code += `${text.startsWith(open.indent) ? text.slice(open.indent.length) : text}\n`;
  }
  if (open !== null) throw new Error(`${page}:${open.line}: a block without an end`);
  return blocks;
}
