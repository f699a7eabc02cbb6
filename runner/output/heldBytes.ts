import { closeSync, openSync, readSync, unlinkSync, writeSync } from "node:fs";
import path from "node:path";

const PIECE = 65_536;

/**
 * Output that may not be shown yet, of several streams in the order of its arrival. It lies in a file without a name in
 * the run's private directory, so memory stays flat however much there is, and nothing is left of it.
 */
export class HeldBytes<Stream extends string> {
  readonly #directory: string;
  #fd: number | null = null;
  #size = 0;
  #parts: { of: Stream; length: number }[] = [];
  #lost = false;

  constructor(directory: string) {
    this.#directory = directory;
  }

  get empty(): boolean {
    return this.#size === 0;
  }

  /** Whether there was no room for all of it. */
  get lost(): boolean {
    return this.#lost;
  }

  add(of: Stream, bytes: Buffer): void {
    if (this.#lost) return;
    try {
      this.#fd ??= withoutName(path.join(this.#directory, `held-${process.hrtime.bigint()}`));
      for (let at = 0; at < bytes.length; ) at += writeSync(this.#fd, bytes, at, bytes.length - at, this.#size + at);
    } catch {
      this.#lost = true;
      return;
    }
    this.#size += bytes.length;
    const last = this.#parts.at(-1);
    if (last?.of === of) last.length += bytes.length;
    else this.#parts.push({ of, length: bytes.length });
  }

  /** Everything so far, once: what was taken is gone. */
  *take(): Generator<{ of: Stream; bytes: Buffer }, void> {
    const [fd, parts] = [this.#fd, this.#parts];
    this.#fd = null;
    this.#parts = [];
    this.#size = 0;
    if (fd === null) return;
    try {
      let position = 0;
      for (const { of, length } of parts) {
        const end = position + length;
        while (position < end) {
          const bytes = Buffer.alloc(Math.min(PIECE, end - position));
          const got = readSync(fd, bytes, 0, bytes.length, position);
          if (got === 0) return;
          position += got;
          yield { of, bytes: bytes.subarray(0, got) };
        }
      }
    } finally {
      closeSync(fd);
    }
  }
}

function withoutName(file: string): number {
  const fd = openSync(file, "wx+", 0o600);
  unlinkSync(file);
  return fd;
}
