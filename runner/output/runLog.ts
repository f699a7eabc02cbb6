import { closeSync, openSync, readSync, writeSync } from "node:fs";
import type { Escapes } from "../config/escapes.ts";
import { textMasker } from "./masking.ts";
import { plainText } from "./plainOutput.ts";
import { shownStream } from "./shownStream.ts";
import type { Sink } from "./sink.ts";
import { withoutStyles } from "./terminalSequences.ts";

/** How much of the newest output is searched for the engine's first error. */
const EXCERPT_WINDOW = 32_768;
const EXCERPT_LENGTH = 1_000;
const LINE_FEED = 0x0a;

/**
 * The run's log, masked before it is written, in one file: chunk `i` is bytes `[i * chunkBytes, (i + 1) * chunkBytes)`.
 * So memory stays flat however long the service is away, and a chunk's identity is its place
 * (docs/rules/runner-protocol.md#logs).
 */
export class RunLog {
  readonly chunkBytes: number;
  readonly #forms: readonly Buffer[];
  readonly #mask: (text: string) => string;
  readonly #escapes: Escapes;
  readonly #fd: number;
  readonly #onFailure: (error: unknown) => void;
  #size = 0;
  #stepStart = 0;
  #unfinished = false;
  #failed = false;

  /**
   * @param forms what is added to them later is hidden from then on
   * @param onFailure called once when the file cannot be written any more; what comes after that is lost
   */
  constructor(
    file: string,
    forms: readonly Buffer[],
    chunkBytes: number,
    onFailure: (error: unknown) => void = (error) => {
      throw error;
    },
    escapes: Escapes = "styles",
  ) {
    this.#escapes = escapes;
    this.#onFailure = onFailure;
    this.#fd = openSync(file, "w+", 0o600);
    this.#forms = forms;
    this.#mask = textMasker(forms);
    this.chunkBytes = chunkBytes;
  }

  get size(): number {
    return this.#size;
  }

  /** Chunks that are full and will not change any more. */
  get fullChunks(): number {
    return Math.floor(this.#size / this.chunkBytes);
  }

  /**
   * A line of the runner's own, told apart from the engine's output by its arrow; it ends a line that was left
   * unfinished.
   */
  note(text: string): void {
    this.#append(Buffer.from(`${this.#unfinished ? "\n" : ""}==> ${plainText(this.#mask(text))}\n`, "utf8"));
  }

  /** Begins a step: `failureExcerpt` looks only at what is written from here on. */
  step(text: string): void {
    this.note(text);
    this.#stepStart = this.#size;
  }

  /** A sink for one stream of a process; each stream is masked on its own, `further` secrets included. */
  stream(further: readonly Buffer[] = []): Sink {
    return shownStream(this.#forms, this.#escapes, (bytes) => this.#append(bytes), further);
  }

  /** Up to `chunkBytes` bytes of chunk `index`. */
  read(index: number): Buffer<ArrayBuffer> {
    return this.#readRange(index * this.chunkBytes, Math.min((index + 1) * this.chunkBytes, this.#size));
  }

  /** The first error of the current step in a few lines, masked; empty when none was seen. */
  failureExcerpt(): string {
    const from = Math.max(this.#stepStart, this.#size - EXCERPT_WINDOW);
    return firstError(this.#readRange(from, this.#size).toString("utf8"));
  }

  close(): void {
    closeSync(this.#fd);
  }

  #append(bytes: Buffer): void {
    if (this.#failed) return;
    let written = 0;
    try {
      while (written < bytes.length) {
        written += writeSync(this.#fd, bytes, written, bytes.length - written, this.#size + written);
      }
    } catch (error) {
      this.#failed = true;
      this.#size += written;
      this.#onFailure(error);
      return;
    }
    this.#size += bytes.length;
    if (bytes.length > 0) this.#unfinished = bytes.at(-1) !== LINE_FEED;
  }

  #readRange(from: number, to: number): Buffer<ArrayBuffer> {
    const bytes = Buffer.alloc(Math.max(0, to - from));
    const got = readSync(this.#fd, bytes, 0, bytes.length, from);
    return bytes.subarray(0, got);
  }
}

/** Engines print `Error: ...` and git `fatal: ...`, the former inside a box drawn at the left margin. */
export function firstError(output: string): string {
  const lines = withoutStyles(output)
    .split("\n")
    .map((line) => line.replace(/^[╷│╵|]\s?/, "").trimEnd());
  const start = lines.findIndex((line) => /^(Error|fatal|error): /.test(line));
  if (start === -1) return "";
  return lines
    .slice(start, start + 8)
    .join(" ")
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, EXCERPT_LENGTH);
}
