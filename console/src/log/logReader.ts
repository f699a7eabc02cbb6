/** A log as one place holds it: read, indexed, searched and shown in part. What the worker of a page runs. */
import { LineIndex } from "./lineIndex.ts";
import { type LogPosition, LogRefusedError, type LogTarget, readLog } from "./logSource.ts";
import type { FromWorker, Grown, LogState, ShownLine, ToWorker } from "./protocol.ts";
import { Search } from "./search.ts";
import { spansOf } from "./terminal.ts";

type Tell = (message: FromWorker, transfer?: Transferable[]) => void;

/** News of a log that grows come this far apart. */
const TELL_MS = 50;
const MOST_ERRORS = 1_000;
/** Characters of a line that are laid out; browsers take seconds for a line of megabytes. */
const LONGEST_LINE = 100_000;

export class LogReader {
  readonly #tell: Tell;
  readonly #index = new LineIndex();
  readonly #position: LogPosition = { stage: 0, inStage: 0, total: 0 };
  #target: LogTarget | null = null;
  #reading: AbortController | null = null;
  #state: LogState = "reading";
  #gaps = false;
  #search: Search | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(tell: Tell) {
    this.#tell = tell;
  }

  take(message: ToWorker): void {
    if (message.type === "open") {
      this.#target = message.target;
      this.#start();
    } else if (message.type === "pause") this.#stop();
    else if (message.type === "resume") this.#start();
    else if (message.type === "lines") this.#show(message.first, message.end);
    else void this.#find(message.text);
  }

  #start(): void {
    if (this.#reading !== null || this.#target === null || isFinal(this.#state)) return;
    const reading = new AbortController();
    this.#reading = reading;
    void this.#read(this.#target, reading);
  }

  #stop(): void {
    this.#reading?.abort();
    this.#reading = null;
  }

  async #read(target: LogTarget, reading: AbortController): Promise<void> {
    const sink = {
      stage: (id: string) => this.#index.beginStage(id),
      bytes: (bytes: Uint8Array) => {
        const last = Math.max(0, this.#index.lines - 1);
        this.#index.append(bytes);
        this.#search?.again(last);
        this.#soon();
      },
      state: (state: LogState) => {
        this.#state = state;
        this.#soon();
      },
    };
    try {
      const end = await readLog(target, this.#position, sink, reading.signal);
      if (end === null) return;
      this.#state = "ended";
      this.#gaps = end.gaps;
    } catch (error) {
      this.#state = error instanceof LogRefusedError && error.status !== 404 ? "forbidden" : "removed";
    }
    this.#reading = null;
    this.#soon();
  }

  #soon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#tell(this.#grown());
      if (this.#search !== null) void this.#find(this.#search.text);
    }, TELL_MS);
  }

  #grown(): Grown {
    const { lines, size, sections, errors } = this.#index;
    return {
      type: "grown",
      lines,
      size,
      state: this.#state,
      gaps: this.#gaps,
      sections: [...sections],
      errors: errors.slice(0, MOST_ERRORS),
    };
  }

  #show(first: number, end: number): void {
    const lines: ShownLine[] = [];
    for (let line = first; line < Math.min(end, this.#index.lines); line++) {
      const bytes = this.#index.line(line);
      const shown = bytes.length > LONGEST_LINE ? bytes.subarray(0, LONGEST_LINE) : bytes;
      lines.push({ spans: spansOf(shown, this.#index.stateAt(line)), left: bytes.length - shown.length });
    }
    this.#tell({ type: "lines", first, lines });
  }

  /** Goes on with the same text where it had come to. */
  async #find(text: string): Promise<void> {
    const search = this.#search?.text === text ? this.#search : new Search(this.#index, text);
    this.#search = text === "" ? null : search;
    if (text === "") return;
    if (search.busy) return;
    search.busy = true;
    while (search.step()) {
      await turn();
      // Another text is looked for now.
      if (this.#search !== search) return;
    }
    search.busy = false;
    const lines = search.found.all();
    this.#tell({ type: "found", text, lines, done: true }, [lines.buffer]);
  }
}

function isFinal(state: LogState): boolean {
  return state === "ended" || state === "removed" || state === "forbidden";
}

/** Messages that wait are taken; timers would be made to wait longer. */
function turn(): Promise<void> {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}
