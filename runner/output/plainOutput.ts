/** Output as a log may have it: text, line ends, tabs and colors, and nothing else that a terminal carries out. */
import { ANY_CONTROL, ANY_SEQUENCE, isStyle, isUnfinished, SEQUENCE } from "./terminalSequences.ts";

/** What moves a line down without being a line end. */
const FEEDS = new Set(["\v", "\f"]);

/**
 * Takes the sequences out of a stream, wherever it happens to be cut. A return to the beginning of a line begins a new
 * one: what a program writes over stays to be read.
 */
export class PlainOutput {
  #held = "";
  /** A return that becomes a line end, unless one follows. */
  #returned = false;
  #atLineStart = true;

  /** What may be shown by now. */
  push(bytes: Uint8Array): Buffer {
    const text = this.#held + Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
    const until = unfinishedFrom(text);
    this.#held = text.slice(until);
    return Buffer.from(this.#plain(text.slice(0, until)), "latin1");
  }

  /** The rest; nothing more will come. */
  end(): Buffer {
    const rest = this.#plain(this.#held) + (this.#returned ? "\n" : "");
    this.#held = "";
    this.#returned = false;
    return Buffer.from(rest, "latin1");
  }

  #plain(text: string): string {
    if (!ANY_SEQUENCE.test(text)) return this.#written(text);
    let shown = "";
    let at = 0;
    for (const { 0: sequence, index } of text.matchAll(SEQUENCE)) {
      shown += this.#written(text.slice(at, index));
      at = index + sequence.length;
      if (sequence === "\r") this.#returned ||= !this.#atLineStart;
      else if (FEEDS.has(sequence)) shown += this.#written("\n");
      else if (isStyle(sequence)) shown += sequence;
    }
    return shown + this.#written(text.slice(at));
  }

  #written(text: string): string {
    if (text === "") return "";
    const before = this.#returned && !text.startsWith("\n") ? "\n" : "";
    this.#returned = false;
    this.#atLineStart = text.endsWith("\n");
    return before + text;
  }
}

/** Of a whole text. */
export function plainText(text: string): string {
  if (!ANY_CONTROL.test(text)) return text;
  const plain = new PlainOutput();
  return Buffer.concat([plain.push(Buffer.from(text, "utf8")), plain.end()]).toString("utf8");
}

/** Where a sequence begins whose end is still to come. */
function unfinishedFrom(text: string): number {
  if (!ANY_SEQUENCE.test(text)) return text.length;
  for (const { 0: sequence, index } of text.matchAll(SEQUENCE))
    if (index + sequence.length === text.length && isUnfinished(text, index)) return index;
  return text.length;
}
