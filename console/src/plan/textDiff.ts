/** Two long texts line by line: what goes, what comes, and a little of what stays around it. Pure. */
import { diffArrays, diffLines } from "diff";
import { veilOf } from "../../../clients/plan/change.ts";
import { exactText, isMap, parseExact } from "../../../clients/plan/exactJson.ts";

export type DiffLine = { sign: "+" | "-" | " " | "…"; text: string };

const AROUND = 3;
/** Texts with more lines are not compared: that could take seconds. */
const MOST_LINES = 5_000;

/**
 * The lines of a comparison; null for what is better shown side by side. A text that is a JSON document on both sides
 * is compared as one, since a policy on a single line tells nobody what differs.
 */
export function diffOf(before: unknown, after: unknown): DiffLine[] | null {
  if (veilOf(before) !== null || veilOf(after) !== null) return null;
  if (Array.isArray(before) && Array.isArray(after)) return lists(before, after);
  const sides = [before, after].map(asLines);
  const [from, to] = sides;
  if (from === null || to === null || from === undefined || to === undefined) return null;
  if (!from.includes("\n") && !to.includes("\n")) return null;
  if (lineCount(from) + lineCount(to) > MOST_LINES) return null;
  const parts = diffLines(from, to).map((part) => ({ ...part, lines: part.value.replace(/\n$/, "").split("\n") }));
  return shortened(parts);
}

/** A text as lines; a JSON document laid out a value a line. */
export function asLines(value: unknown): string | null {
  if (typeof value === "string") return laidOut(value) ?? value;
  return isMap(value) || Array.isArray(value) ? exactText(value, 2) : null;
}

function laidOut(text: string): string | null {
  if (!/^\s*[[{]/.test(text)) return null;
  try {
    return exactText(parseExact(text), 2);
  } catch {
    return null;
  }
}

function lists(before: readonly unknown[], after: readonly unknown[]): DiffLine[] | null {
  if (before.length + after.length <= 2 || before.length + after.length > MOST_LINES) return null;
  const texts = (list: readonly unknown[]) => list.map((item) => exactText(item));
  return shortened(diffArrays(texts(before), texts(after)).map((part) => ({ ...part, lines: part.value })));
}

type Part = { added?: boolean; removed?: boolean; lines: readonly string[] };

function shortened(parts: readonly Part[]): DiffLine[] {
  return parts.flatMap(({ added, removed, lines }, place): DiffLine[] => {
    if (added || removed) return lines.map((text) => ({ sign: added ? "+" : "-", text }));
    const [first, last] = [place === 0, place === parts.length - 1];
    const head = first ? 0 : AROUND;
    const tail = last ? 0 : AROUND;
    if (lines.length <= head + tail + 1) return lines.map((text) => ({ sign: " ", text }));
    const left = lines.length - head - tail;
    const kept = (some: readonly string[]) => some.map((text): DiffLine => ({ sign: " ", text }));
    return [
      ...kept(lines.slice(0, head)),
      { sign: "…", text: `${left} lines that stay` },
      ...kept(tail === 0 ? [] : lines.slice(-tail)),
    ];
  });
}

function lineCount(text: string): number {
  let lines = 1;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) lines++;
  return lines;
}
