/** Pipes for the output of a program that may outlive its reader. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, constants, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

/** As many as one run uses as a rule. It takes a program to make them, so they are made together. */
const BATCH = 16;

/** Both ends of a pipe, as file descriptors. */
export interface OutputPipe {
  /** What the program gets as its output; close it once the program has it. */
  writing: number;
  /** What it writes. Ends when every process that holds the other end is gone. */
  reading: number;
}

/**
 * An engine that writes to a pipe whose reader died gets SIGPIPE and is gone in the middle of an apply, before it saved
 * its state; an interrupt does the same, since it answers with a line of output. So the program's end is open for
 * reading too: whoever dies beside it, its pipe has a reader, and its last words find room in the pipe's buffer (64 KiB
 * on Linux). Each pipe serves one program: what a program leaves behind may still write to its own.
 */
export class OutputPipes {
  #ready: OutputPipe[] = [];
  #making: Promise<void> | null = null;

  /** Makes some before they are asked for. A failure shows when they are. */
  prepare(): void {
    void this.#make().catch(() => {});
  }

  async take(count: number): Promise<OutputPipe[]> {
    while (this.#ready.length < count) await this.#make();
    return this.#ready.splice(0, count);
  }

  #make(): Promise<void> {
    this.#making ??= makePipes(BATCH)
      .then((pipes) => void this.#ready.push(...pipes))
      .finally(() => {
        this.#making = null;
      });
    return this.#making;
  }
}

export function closePipes(pipes: readonly OutputPipe[]): void {
  for (const { writing, reading } of pipes) {
    closeSync(writing);
    closeSync(reading);
  }
}

/** They have a name only until they are open. */
async function makePipes(count: number): Promise<OutputPipe[]> {
  const directory = mkdtempSync(path.join(tmpdir(), "output-"));
  // A process that waits for its run may be ended just now, while `mkfifo` still adds to the folder.
  const remove = () => rmSync(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
  process.once("exit", remove);
  const places = Array.from({ length: count }, (_, index) => path.join(directory, String(index)));
  const pipes: OutputPipe[] = [];
  try {
    const [code] = await once(spawn("mkfifo", ["-m", "600", ...places], { stdio: "ignore" }), "exit");
    if (code !== 0) throw new Error("mkfifo made no pipes");
    for (const place of places) pipes.push(open(place));
    return pipes;
  } catch (error) {
    closePipes(pipes);
    throw error;
  } finally {
    process.off("exit", remove);
    remove();
  }
}

function open(place: string): OutputPipe {
  const reading = openSync(place, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    return { reading, writing: openSync(place, constants.O_RDWR) };
  } catch (error) {
    closeSync(reading);
    throw error;
  }
}
