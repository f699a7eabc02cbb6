/** Which rows a log shows: heads of stages and steps, and the lines of those that are open. Pure. */
import type { Section } from "./lineIndex.ts";

export type Block = Section & {
  key: string;
  /** Lines below the head, from here to before `end`. */
  from: number;
  end: number;
  open: boolean;
};
export type Row = { type: "head"; block: Block } | { type: "line"; line: number; block: Block };

export type Rows = {
  blocks: readonly Block[];
  length: number;
  at(row: number): Row | null;
  /** The row of a line; of one that is folded away, its head. */
  ofLine(line: number): number;
};

/** Other steps only get ready for what people read. */
const READ = /^(?:terraform|tofu) (?:plan|apply|destroy|refresh)|^command/;

/** A person's own choice by the key of a block wins over what is open by itself. */
export function rowsOf(
  sections: readonly Section[],
  lines: number,
  errors: readonly number[],
  chosen: ReadonlyMap<string, boolean>,
): Rows {
  const blocks: Block[] = [];
  const starts: number[] = [];
  let length = 0;
  /** The row of a block's head; of one that is folded away, that of its stage. */
  const heads: number[] = [];
  let [stageOpen, stageStart] = [true, 0];
  for (const [place, section] of sections.entries()) {
    const from = section.kind === "stage" ? section.line : section.line + 1;
    const end = Math.max(from, sections[place + 1]?.line ?? lines);
    const key = section.kind === "stage" ? section.stageId : `${section.stageId}:${section.line}`;
    const last = place === sections.length - 1;
    const open =
      chosen.get(key) ??
      (section.kind === "stage" || last || READ.test(section.title) || hasBetween(errors, from, end));
    if (section.kind === "stage") stageOpen = open;
    if (section.kind === "stage") stageStart = length;
    starts.push(length);
    heads.push(stageOpen ? length : stageStart);
    blocks.push({ ...section, key, from, end, open });
    if (section.kind === "stage" || stageOpen) length += 1 + (open ? end - from : 0);
  }
  return {
    blocks,
    length,
    at: (row) => rowAt(blocks, starts, length, row),
    ofLine(line) {
      const place = Math.max(
        0,
        lastAtMost(
          blocks.map(({ line: first }) => first),
          line,
        ),
      );
      const block = blocks[place];
      const head = heads[place] ?? 0;
      const shown = block !== undefined && head === starts[place] && block.open && line >= block.from;
      return shown ? head + 1 + line - block.from : head;
    },
  };
}

function rowAt(blocks: readonly Block[], starts: readonly number[], length: number, row: number): Row | null {
  if (row < 0 || row >= length) return null;
  const place = lastAtMost(starts, row);
  const block = blocks[place] as Block;
  const within = row - (starts[place] as number);
  return within === 0 ? { type: "head", block } : { type: "line", line: block.from + within - 1, block };
}

/** Of several that start at one row, folded ones among them, the last that is there. */
function lastAtMost(sorted: readonly number[], value: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] as number) <= value) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function hasBetween(sorted: readonly number[], from: number, end: number): boolean {
  const at = lastAtMost(sorted, end - 1);
  return at >= 0 && (sorted[at] as number) >= from;
}
