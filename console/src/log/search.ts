/** Searches a whole log, a piece at a time, so that what else is asked meanwhile gets its turn. Pure. */
import { Numbers } from "./bytes.ts";
import type { LineIndex } from "./lineIndex.ts";
import { plainLines } from "./terminal.ts";

/** One piece takes some milliseconds. */
const PIECE_BYTES = 1_048_576;

const decoder = new TextDecoder();

/** Upper case in the text that is looked for makes case count. */
export class Search {
  readonly text: string;
  readonly found = new Numbers();
  /** Somebody is looking. */
  busy = false;
  /** Lines before this one have been looked at. */
  next = 0;
  readonly #index: LineIndex;
  readonly #exact: boolean;

  constructor(index: LineIndex, text: string) {
    this.#index = index;
    this.#exact = text !== text.toLowerCase();
    this.text = text;
  }

  /** Look at one piece more. @returns whether there is more to look at now */
  step(): boolean {
    const { lines, escaped } = this.#index;
    if (this.next >= lines || this.text === "") return false;
    const end = this.#pieceEnd(lines);
    const raw = decoder.decode(this.#index.linesBytes(this.next, end));
    const text = escaped ? plainLines(raw) : raw;
    this.#collect(this.#exact ? text : text.toLowerCase(), end);
    this.next = end;
    return end < lines;
  }

  /** The last line may still grow: it is looked at again. */
  again(line: number): void {
    this.next = Math.min(this.next, line);
  }

  #pieceEnd(lines: number): number {
    const from = this.#index.startOf(this.next);
    let [low, high] = [this.next + 1, lines];
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (this.#index.startOf(middle) - from <= PIECE_BYTES) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  #collect(text: string, end: number): void {
    let line = this.next;
    let lineEnd = nextEnd(text, 0);
    const last = this.found.length === 0 ? -1 : this.found.at(this.found.length - 1);
    for (let at = text.indexOf(this.text); at !== -1; at = text.indexOf(this.text, lineEnd)) {
      while (lineEnd < at) {
        line++;
        lineEnd = nextEnd(text, lineEnd + 1);
      }
      if (line < end && line > last) this.found.push(line);
    }
  }
}

function nextEnd(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end === -1 ? text.length : end;
}

export type Marked = { text: string; hit: boolean };

/** A text cut where the searched one occurs. */
export function marked(text: string, searched: string): Marked[] {
  if (searched === "") return [{ text, hit: false }];
  const exact = searched !== searched.toLowerCase();
  const where = exact ? text : text.toLowerCase();
  // Lower case of some letters is longer; then nothing is marked rather than the wrong part.
  if (where.length !== text.length) return [{ text, hit: false }];
  const parts: Marked[] = [];
  let from = 0;
  for (let at = where.indexOf(searched); at !== -1; at = where.indexOf(searched, from)) {
    if (at > from) parts.push({ text: text.slice(from, at), hit: false });
    parts.push({ text: text.slice(at, at + searched.length), hit: true });
    from = at + searched.length;
  }
  if (from < text.length) parts.push({ text: text.slice(from), hit: false });
  return parts;
}
