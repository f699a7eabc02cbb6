/** Pipes for the output of a program that may outlive its reader. */
import { execFile } from "node:child_process";
import { closeSync, constants, openSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

export interface OutputPipe {
  /** What the program gets as its output; close it once the program has it. */
  fd: number;
  /** What it writes. Ends when every process that holds the other end is gone. */
  reader: Socket;
}

/**
 * An engine that writes to a pipe whose reader died gets SIGPIPE and is gone in the middle of an apply, before it saved its
 * state; an interrupt does the same, since it answers with a line of output. So the program's end is open for reading too:
 * whoever dies beside it, its pipe has a reader, and its last words find room in the pipe's buffer (64 KiB on Linux).
 */
export async function openOutputPipes(count: number): Promise<OutputPipe[]> {
  const directory = await mkdtemp(path.join(tmpdir(), "output-"));
  const paths = Array.from({ length: count }, (_, index) => path.join(directory, String(index)));
  const pipes: OutputPipe[] = [];
  try {
    await run("mkfifo", ["-m", "600", ...paths]);
    for (const place of paths) pipes.push(open(place));
    return pipes;
  } catch (error) {
    for (const { fd, reader } of pipes) {
      closeSync(fd);
      reader.destroy();
    }
    throw error;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

function open(place: string): OutputPipe {
  const reading = openSync(place, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    return {
      fd: openSync(place, constants.O_RDWR),
      reader: new Socket({ fd: reading, readable: true, writable: false }),
    };
  } catch (error) {
    closeSync(reading);
    throw error;
  }
}
