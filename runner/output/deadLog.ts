/** The log of a run whose runner died: what it had written and not brought to the service yet. */
import { closeSync, constants, fstatSync, openSync, readdirSync, readSync, writeSync } from "node:fs";
import path from "node:path";
import { LogPusher, type LogTarget, type WrittenLog } from "./logPusher.ts";
import type { OwnLog } from "./ownLog.ts";

const NAME = /^run-([1-9]\d{0,8})\.log$/;
/**
 * Where a run writes its log. The name says in what chunks it is sealed, so that whoever finds it goes on with the same
 * ones.
 */
export function logFile(directory: string, chunkBytes: number): string {
  return path.join(directory, `run-${chunkBytes}.log`);
}

/** Brings a dead runner's log to the service; see `LogPusher.close`. */
export interface DeadLogPusher {
  push(windowMs: number): Promise<void>;
  close(): void;
}

/**
 * What the dead runner left in `directory`, with `lastLine` at its end. Chunks that are sealed already stay as they
 * are. Best effort: a log is no reason to leave a run unreported.
 */
export function openDeadLog(
  directory: string | null,
  lastLine: string,
  target: LogTarget,
  logger: OwnLog,
): DeadLogPusher {
  // One on another machine went with its runner.
  if (directory === null) return NOTHING;
  try {
    const name = readdirSync(directory).find((entry) => NAME.test(entry));
    if (name === undefined) return NOTHING;
    const log = new DeadLog(path.join(directory, name), Number(NAME.exec(name)?.[1]), lastLine);
    const pusher = new LogPusher(log, target, 0, logger);
    return { push: async (windowMs) => void (await pusher.close(windowMs)), close: () => log.close() };
  } catch (error) {
    logger.warn({ err: error }, "the log of a dead runner cannot be read");
    return NOTHING;
  }
}

const NOTHING: DeadLogPusher = { push: async () => {}, close: () => {} };

class DeadLog implements WrittenLog {
  readonly chunkBytes: number;
  readonly size: number;
  readonly #fd: number;

  /** A run's own code could have put anything in the file's place: no link is followed and no pipe waited for. */
  constructor(file: string, chunkBytes: number, lastLine: string) {
    this.#fd = openSync(file, constants.O_RDWR | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    this.chunkBytes = chunkBytes;
    const stats = fstatSync(this.#fd);
    if (!stats.isFile() || stats.nlink > 1) {
      closeSync(this.#fd);
      throw new Error("it is not the file that the run made");
    }
    this.size = stats.size;
    const unfinished = stats.size > 0 && this.#readRange(stats.size - 1, stats.size)[0] !== 0x0a;
    this.size += writeSync(this.#fd, `${unfinished ? "\n" : ""}==> ${lastLine}\n`, stats.size);
  }

  get fullChunks(): number {
    return Math.floor(this.size / this.chunkBytes);
  }

  read(index: number): Buffer<ArrayBuffer> {
    return this.#readRange(index * this.chunkBytes, Math.min((index + 1) * this.chunkBytes, this.size));
  }

  close(): void {
    closeSync(this.#fd);
  }

  #readRange(from: number, to: number): Buffer<ArrayBuffer> {
    const bytes = Buffer.alloc(Math.max(0, to - from));
    return bytes.subarray(0, readSync(this.#fd, bytes, 0, bytes.length, from));
  }
}
