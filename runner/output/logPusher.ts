import { promisify } from "node:util";
import { type ComeAgain, pauseOf } from "../service/comeAgain.ts";
import { persist } from "../service/retry.ts";
import { ServiceRefused } from "../service/serviceClient.ts";
import type { OwnLog } from "./ownLog.ts";
import type { RunLog } from "./runLog.ts";

/** What the pusher needs of the service. */
export interface LogTarget {
  pushLive(chunkIndex: number, sealedChunks: number, data: string): Promise<ComeAgain>;
  sealChunk(index: number, bytes: Uint8Array<ArrayBuffer>): Promise<void>;
}

/** A log in one file. */
export type WrittenLog = Pick<RunLog, "size" | "chunkBytes" | "fullChunks" | "read">;

/**
 * Brings the run's log to the service: full chunks are sealed in order, the active one is pushed live as a whole every
 * two seconds, or as seldom as the service wants it, best effort. A failed call is simply made again at the next tick,
 * since the log file keeps everything.
 */
export class LogPusher {
  readonly #log: WrittenLog;
  readonly #target: LogTarget;
  readonly #logger: OwnLog;
  readonly #intervalMs: number;
  #sealed = 0;
  #pushedSize = 0;
  #timer: NodeJS.Timeout | null = null;
  #ticking: Promise<void> = Promise.resolve();
  #pauseMs: number;

  constructor(log: WrittenLog, target: LogTarget, intervalMs: number, logger: OwnLog) {
    this.#log = log;
    this.#target = target;
    this.#intervalMs = intervalMs;
    this.#pauseMs = intervalMs;
    this.#logger = logger;
  }

  start(): void {
    this.#timer = setTimeout(() => {
      this.#ticking = this.#tick().finally(() => {
        if (this.#timer !== null) this.start();
      });
    }, this.#pauseMs);
  }

  /**
   * Stops the live pushes and seals what is left, the last chunk too, for at most `windowMs`. May be called again to go
   * on where it stopped. Returns whether every byte is sealed.
   */
  async close(windowMs: number): Promise<boolean> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    await this.#ticking;
    const chunks = Math.ceil(this.#log.size / this.#log.chunkBytes);
    const deadline = performance.now() + windowMs;
    try {
      while (this.#sealed < chunks) {
        const left = Math.max(0, deadline - performance.now());
        await persist(() => this.#sealNext(), { windowMs: left, unauthorizedWindowMs: left });
      }
      return true;
    } catch (error) {
      this.#logger.warn({ err: error, sealed: this.#sealed, chunks }, "the end of the log is not sealed");
      return false;
    }
  }

  async #tick(): Promise<void> {
    try {
      while (this.#sealed < this.#log.fullChunks) await this.#sealNext();
      await this.#pushLive();
    } catch (error) {
      this.#logger.debug({ err: error }, "log push failed; the next one makes up for it");
    }
  }

  async #sealNext(): Promise<void> {
    const index = this.#sealed;
    try {
      await this.#target.sealChunk(index, this.#log.read(index));
    } catch (error) {
      const hopeless = error instanceof ServiceRefused && error.status !== 401;
      if (!hopeless) throw error;
      this.#logger.warn({ err: error, index }, "the service refuses a log chunk; it is left out");
    }
    this.#sealed = Math.max(this.#sealed, index + 1);
  }

  async #pushLive(): Promise<void> {
    const size = this.#log.size;
    const active = this.#log.read(this.#sealed);
    if (size === this.#pushedSize || active.length === 0) return;
    // Loaded here: a run that is over before its first push does without.
    const { gzip } = process.getBuiltinModule("node:zlib");
    const data = (await promisify(gzip)(active)).toString("base64");
    this.#pauseMs = pauseOf(this.#intervalMs, await this.#target.pushLive(this.#sealed, this.#sealed, data));
    this.#pushedSize = size;
  }
}
