/**
 * The lines of a log: where each begins, which stage and which step of the engine it is of, where the errors are, and
 * how the terminal stands at its beginning. Made of bytes as they come, in pieces of any length. Pure.
 */
import { Bytes, Numbers } from "./bytes.ts";
import { headOf, type LineHead } from "./lineHead.ts";
import { stateAfter } from "./terminal.ts";

const LINE_FEED = 0x0a;
const ESCAPE = 0x1b;
/** As much of a line as tells what it is. */
const HEAD_BYTES = 240;
/** A command may print any number of lines that look like steps. */
const MOST_SECTIONS = 2_000;

export type Section = {
  kind: "stage" | "step";
  stageId: string;
  title: string;
  /** The first line of a stage, and the line that announces a step. */
  line: number;
};

const END = new Uint8Array([LINE_FEED]);

export class LineIndex {
  readonly #bytes = new Bytes();
  readonly #starts = new Numbers();
  readonly #states = new Map<number, string>();
  readonly sections: Section[] = [];
  readonly errors: number[] = [];
  #state = "";
  /** Where the line begins that has no end yet; -1 between lines. */
  #open = -1;
  #escaped = false;
  /** Whether the open line has a sequence in it. */
  #escapes = false;

  get lines(): number {
    return this.#starts.length;
  }

  get size(): number {
    return this.#bytes.size;
  }

  /** Whether any line has more than plain text. */
  get escaped(): boolean {
    return this.#escaped;
  }

  /** What follows is of this stage; a line that the stage before left unfinished ends here. */
  beginStage(stageId: string): void {
    if (this.sections.findLast(({ kind }) => kind === "stage")?.stageId === stageId) return;
    if (this.#open !== -1) this.append(END);
    this.#state = "";
    this.sections.push({ kind: "stage", stageId, title: "", line: this.lines });
  }

  append(bytes: Uint8Array): void {
    const base = this.#bytes.size;
    this.#bytes.append(bytes);
    let sequence = bytes.indexOf(ESCAPE);
    if (sequence !== -1) this.#escaped = true;
    for (let at = 0; at < bytes.length; ) {
      if (this.#open === -1) this.#begin(base + at);
      const end = bytes.indexOf(LINE_FEED, at);
      const next = end === -1 ? bytes.length : end + 1;
      if (sequence !== -1 && sequence < next) {
        this.#escapes = true;
        sequence = bytes.indexOf(ESCAPE, next);
      }
      if (end !== -1) this.#finish(base + end);
      at = next;
    }
  }

  /** Bytes of a line without its end. */
  line(number: number): Uint8Array {
    return this.#bytes.slice(this.startOf(number), this.endOf(number));
  }

  /** Bytes of the lines from `first` to before `end`, with their ends. */
  linesBytes(first: number, end: number): Uint8Array {
    return this.#bytes.slice(this.startOf(first), this.startOf(end));
  }

  startOf(number: number): number {
    return number < this.lines ? this.#starts.at(number) : this.size;
  }

  endOf(number: number): number {
    const next = this.startOf(number + 1);
    return next > this.startOf(number) && this.#bytes.at(next - 1) === LINE_FEED ? next - 1 : next;
  }

  /** The sequences that are still in force when the line begins. */
  stateAt(number: number): string {
    return this.#states.get(number) ?? "";
  }

  #begin(offset: number): void {
    if (this.#state !== "") this.#states.set(this.lines, this.#state);
    this.#starts.push(offset);
    this.#open = offset;
    this.#escapes = false;
  }

  #finish(end: number): void {
    const start = this.#open;
    this.#open = -1;
    const first = this.#bytes.at(start);
    if (this.#escapes) this.#state = stateAfter(this.#state, this.#bytes.slice(start, end));
    const head = headOf(first, () => this.#bytes.slice(start, Math.min(end, start + HEAD_BYTES)));
    if (head !== null) this.#note(head, this.lines - 1);
  }

  #note(head: LineHead, line: number): void {
    if (head.kind === "error") this.errors.push(line);
    else if (this.sections.length < MOST_SECTIONS) {
      const stageId = this.sections.findLast(({ kind }) => kind === "stage")?.stageId ?? "";
      this.sections.push({ kind: "step", stageId, title: head.title, line });
    }
  }
}
