import { type FormNode, folded, formTree } from "./formTree.ts";
import { isSpecial, readings } from "./readings.ts";

/** A stretch of a text covered by secrets, end exclusive. */
export interface Span {
  start: number;
  end: number;
}

/** Where a walk is: inside the edge of a node. */
interface Place {
  node: FormNode;
  offset: number;
}

/** Signs after which a line may be broken inside a word, as in base64. */
const BREAKABLE = 1;
/** Escaped and laid out a text takes more room, but not without end: what is held back must have one. */
const MOST_ROOM = 24;
const LEAST_ROOM = 2_048;
/** No edge is as long as this. */
const EDGE_BOUND = 2 ** 26;
const RUN_SIGNS = " \\$%'\"";

/** How a text is read at a place. */
export type Read = typeof readings;

/**
 * Many byte strings (one character is one byte), found in a text in whatever way an engine escaped it and laid it out.
 * The text is read sign by sign, each by every notation, so forms need not be listed for each depth of escaping.
 */
export class FormIndex {
  readonly #root: FormNode;
  readonly #read: Read;
  readonly #room: number;
  /** Bytes that a form may begin with, escaped or not. */
  readonly #firsts = new Uint8Array(256);

  constructor(forms: readonly string[], read: Read = readings) {
    this.#read = read;
    const distinct = new Set(forms.map(folded).filter((form) => form !== ""));
    let longest = 0;
    for (const form of distinct) longest = Math.max(longest, form.length);
    this.#room = Math.max(LEAST_ROOM, longest * MOST_ROOM);
    this.#root = formTree(distinct);
    if (distinct.size === 0) return;
    for (const first of this.#root.children.keys()) this.#firsts[first] = 1;
    // What is escaped may mean any sign.
    for (const sign of "\\%&") this.#firsts[sign.charCodeAt(0)] = 1;
    if (this.#firsts[0x20] === 1) for (const blank of "\t\n\v\f\r+") this.#firsts[blank.charCodeAt(0)] = 1;
  }

  /** The longest form at each place where there is one, in order, and the first place that more text could decide. */
  find(text: string, isEnd: boolean): { spans: Span[]; undecided: number } {
    const spans: Span[] = [];
    let undecided = text.length;
    for (let at = 0; at < text.length; at += 1) {
      if (this.#firsts[text.charCodeAt(at)] === 0) continue;
      const { end, open } = this.#walk(text, at);
      if (open && !isEnd) undecided = Math.min(undecided, at);
      if (end > at) spans.push({ start: at, end });
    }
    return { spans, undecided };
  }

  #walk(text: string, start: number): { end: number; open: boolean } {
    let end = start;
    let open = false;
    const seen = new Map<FormNode, Set<number>>();
    const waiting: (Place & { at: number; depth: number; last: string; broken?: boolean })[] = [
      { node: this.#root, offset: 0, at: start, depth: 0, last: "" },
    ];
    for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
      const { node, offset, at, depth, last } = place;
      if (!place.broken && offset === node.edge.length && node.ends) end = Math.max(end, at);
      const isLeaf = offset === node.edge.length && node.children.size === 0;
      if (isLeaf && !RUN_SIGNS.includes(last)) continue;
      if (at - start > this.#room) continue;
      if (at >= text.length) {
        open ||= !isLeaf;
        continue;
      }
      const byte = text.charCodeAt(at);
      if (!isSpecial(byte)) {
        const to = stepped(place, text.charAt(at), last);
        if (to !== null) waiting.push({ ...to, at: at + 1, depth: depth + 1, last: text.charAt(at) });
        continue;
      }
      const key = at * EDGE_BOUND + offset;
      const been = seen.get(node) ?? new Set<number>();
      if (been.has(key)) continue;
      seen.set(node, been.add(key));
      const read = this.#read(text, at);
      open ||= read.open && !isLeaf;
      for (const { means, next } of read.all) {
        if (means === "") {
          if (depth >= BREAKABLE) waiting.push({ ...place, at: next, broken: true });
          continue;
        }
        let to: Place | null = place;
        let before = last;
        for (const sign of means) {
          to = to && stepped(to, sign, before);
          before = sign;
        }
        if (to !== null) waiting.push({ ...to, at: next, depth: depth + 1, last: before });
      }
    }
    return { end, open };
  }
}

/** One sign further; a run counts as one sign, so its further ones lead nowhere. */
function stepped({ node, offset }: Place, sign: string, last: string): Place | null {
  if (offset < node.edge.length) {
    if (node.edge[offset] === sign) return { node, offset: offset + 1 };
  } else {
    const child = node.children.get(sign.charCodeAt(0));
    if (child !== undefined) return { node: child, offset: 1 };
  }
  return sign === last && RUN_SIGNS.includes(sign) ? { node, offset } : null;
}
