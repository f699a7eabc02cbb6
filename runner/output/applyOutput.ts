import { HeldBytes } from "./heldBytes.ts";
import { beginsWork, progressOf } from "./progressLines.ts";
import type { RunLog } from "./runLog.ts";
import type { Sink } from "./sink.ts";

/** After this line come the outputs; lines of programs that an engine runs carry the resource's address before them. */
const HEADING = "Outputs:";
/** No line of the engine that can be shown is longer. */
const MAX_LINE = 16_384;
const LINE_FEED = 0x0a;

/** What the plan says of the apply. */
export type Expected = {
  /** Forms of what is known to be sensitive before. */
  known: readonly Buffer[];
  /** Whether the apply itself makes sensitive values. */
  makesSensitive: boolean;
  addresses: ReadonlySet<string>;
};

/**
 * Output of `apply` on its way to the log. Errors and outputs come last, and are held until the new state says what is
 * sensitive: a provider loses the mark of what it copies or quotes, and the value may be one that the apply has made.
 * Where the plan says that it makes some, everything else is held too but for how the apply goes on.
 */
export class ApplyOutput {
  readonly stdout: Sink;
  readonly stderr: Sink;
  readonly #log: RunLog;
  readonly #expected: Expected;
  readonly #shown: Sink;
  readonly #held: HeldBytes<"output" | "errors">;
  /** Whether there can be values that the plan did not know. */
  #begun = false;
  #holding: boolean;
  #line: Buffer = Buffer.alloc(0);
  /** Whether a part of the present line has gone on already. */
  #inLine = false;
  #released = false;

  /** @param directory the run's private one */
  constructor(directory: string, log: RunLog, expected: Expected) {
    this.#log = log;
    this.#expected = expected;
    this.#held = new HeldBytes(directory);
    this.#shown = log.stream(expected.known);
    this.#holding = expected.makesSensitive;
    this.stdout = { write: (bytes) => this.#write(bytes), end: () => this.#end() };
    this.stderr = { write: (bytes) => this.#held.add("errors", bytes), end: () => {} };
  }

  /** Logs what was held, once, with `forms` hidden too; null when the new state cannot be read. */
  release(forms: readonly Buffer[] | null): void {
    if (this.#released) return;
    this.#released = true;
    const { known, makesSensitive } = this.#expected;
    const nothingNew = forms === null && (!makesSensitive || !this.#begun);
    const errors = forms === null && !nothingNew ? null : this.#log.stream([...known, ...(forms ?? [])]);
    const output = forms === null ? null : this.#log.stream([...known, ...forms]);
    const leftOut = new Set<"output" | "errors">();
    if (makesSensitive && output !== null && !this.#held.empty) this.#log.note("Held until the new state was read:");
    for (const { of, bytes } of this.#held.take()) {
      const stream = of === "errors" ? errors : output;
      if (stream === null && bytes.toString("latin1").trim() !== "") leftOut.add(of);
      stream?.write(bytes);
    }
    output?.end();
    errors?.end();
    for (const of of leftOut) {
      this.#log.note(
        `Left out: the apply's ${of}, since the state that says which values are sensitive cannot be read.`,
      );
    }
    if (this.#held.lost) this.#log.note("The rest of the output is left out: there was no room for it.");
  }

  #write(bytes: Buffer): void {
    let from = 0;
    for (let at = bytes.indexOf(LINE_FEED); at !== -1; at = bytes.indexOf(LINE_FEED, from)) {
      this.#take(bytes.subarray(from, at + 1), true);
      from = at + 1;
    }
    if (from < bytes.length) this.#take(bytes.subarray(from), false);
  }

  /** A part of a line, or its end. Parts of a line that may be shown do not wait for its end. */
  #take(part: Buffer, ends: boolean): void {
    const joined = this.#line.length === 0 ? part : Buffer.concat([this.#line, part]);
    const undecided = !this.#inLine && (this.#holding ? joined.length <= MAX_LINE : mayBeHeading(joined));
    if (!ends && undecided) {
      this.#line = joined;
      return;
    }
    this.#line = Buffer.alloc(0);
    this.#pass(joined);
    this.#inLine = !ends;
  }

  #pass(line: Buffer): void {
    const whole = !this.#inLine && line.length <= MAX_LINE;
    const text = whole ? line.toString("utf8").replace(/\r?\n$/, "") : "";
    this.#begun ||= beginsWork(text);
    if (!this.#holding && text === HEADING) this.#holding = true;
    if (!this.#holding) {
      this.#shown.write(line);
      return;
    }
    const progress = this.#expected.makesSensitive ? progressOf(text, this.#expected.addresses) : null;
    if (progress === null) this.#held.add("output", line);
    else this.#shown.write(Buffer.from(`${progress}\n`, "utf8"));
  }

  #end(): void {
    if (this.#line.length > 0) this.#pass(this.#line);
    this.#line = Buffer.alloc(0);
    this.#shown.end();
  }
}

function mayBeHeading(line: Buffer): boolean {
  return `${HEADING}\r\n`.startsWith(line.toString("latin1"));
}
