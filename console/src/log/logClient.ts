/** A page's side of the log: what the worker has said, and the lines that are on screen or were. */
import type { LogTarget } from "./logSource.ts";
import type { FromWorker, Grown, ShownLine, ToWorker } from "./protocol.ts";

export type Found = { text: string; lines: Uint32Array };
export type LogSnapshot = { grown: Grown | null; found: Found | null; version: number };

const KEPT_LINES = 6_000;

export class LogClient {
  readonly #worker: Worker;
  readonly #listeners = new Set<() => void>();
  readonly #lines = new Map<number, ShownLine>();
  readonly #asked = new Set<number>();
  #snapshot: LogSnapshot = { grown: null, found: null, version: 0 };
  #searched = "";

  constructor(worker: Worker, target: LogTarget) {
    this.#worker = worker;
    worker.onmessage = ({ data }: MessageEvent<FromWorker>) => this.#take(data);
    this.#send({ type: "open", target });
    document.addEventListener("visibilitychange", this.#onVisibility);
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
  snapshot = (): LogSnapshot => this.#snapshot;

  /** Undefined until it has come. */
  line(number: number): ShownLine | undefined {
    return this.#lines.get(number);
  }

  /** See to it that these come; those that are there stay. */
  want(lines: readonly number[]): void {
    const missing = lines.filter((line) => !this.#lines.has(line) && !this.#asked.has(line));
    for (let at = 0; at < missing.length; ) {
      let end = at + 1;
      while (end < missing.length && missing[end] === (missing[end - 1] as number) + 1) end++;
      this.#send({ type: "lines", first: missing[at] as number, end: (missing[end - 1] as number) + 1 });
      at = end;
    }
    for (const line of missing) this.#asked.add(line);
  }

  search(text: string): void {
    if (text === this.#searched) return;
    this.#searched = text;
    this.#send({ type: "search", text });
    if (text === "") this.#say({ found: null });
  }

  close(): void {
    document.removeEventListener("visibilitychange", this.#onVisibility);
    this.#worker.terminate();
  }

  #take(message: FromWorker): void {
    if (message.type === "grown") {
      const { grown } = this.#snapshot;
      // The last line may have been a part of one.
      if (grown !== null && grown.size !== message.size) this.#lines.delete(grown.lines - 1);
      this.#say({ grown: message });
    } else if (message.type === "found") {
      if (message.text === this.#searched) this.#say({ found: { text: message.text, lines: message.lines } });
    } else {
      for (const [place, line] of message.lines.entries()) {
        this.#asked.delete(message.first + place);
        this.#lines.set(message.first + place, line);
      }
      for (const line of this.#lines.keys()) {
        if (this.#lines.size <= KEPT_LINES) break;
        this.#lines.delete(line);
      }
      this.#say({});
    }
  }

  #say(news: Partial<LogSnapshot>): void {
    this.#snapshot = { ...this.#snapshot, ...news, version: this.#snapshot.version + 1 };
    for (const listener of this.#listeners) listener();
  }

  #send(message: ToWorker): void {
    this.#worker.postMessage(message);
  }

  readonly #onVisibility = () => this.#send({ type: document.hidden ? "pause" : "resume" });
}
