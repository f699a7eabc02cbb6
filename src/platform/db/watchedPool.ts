/**
 * A pool to a server that one can do without. A connection to a host that is gone stays open for minutes: while
 * somebody waits on the pool, the server is asked for signs of life, and without one whoever waits is refused.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { unlessAborted } from "../time/unlessAborted.ts";
import { connect, type Db, type PoolOptions, type Reader } from "./client.ts";

/** A server that gives no sign of life for so long is away, though its connections are open. */
export const SILENT_MS = 1_000;

export class WatchedPool {
  readonly #url: string;
  readonly #options: PoolOptions & { max: number };
  readonly #onSilent: (why: unknown) => void;
  #pool: Db;
  #side: Db;
  #users = 0;
  #watched = false;

  constructor(url: string, options: PoolOptions & { max: number }, onSilent: (why: unknown) => void) {
    this.#url = url;
    this.#options = options;
    this.#onSilent = onSilent;
    [this.#pool, this.#side] = this.#open();
  }

  /** Whether more wait for the pool than it has connections. */
  get crowded(): boolean {
    return this.#users > this.#options.max;
  }

  async use<T>(work: (pool: Db) => Promise<T>): Promise<T> {
    this.#users++;
    this.#watch();
    try {
      return await work(this.#pool);
    } finally {
      this.#users--;
    }
  }

  /** Not for long: with no answer all connections are given up. */
  inTime<T>(work: (pool: Reader) => Promise<T>): Promise<T> {
    return this.#inTime(this.#pool, work);
  }

  /** The same on a connection that nobody else uses. */
  beside<T>(work: (side: Reader) => Promise<T>): Promise<T> {
    return this.#inTime(this.#side, work);
  }

  async #inTime<T>(on: Db, work: (on: Reader) => Promise<T>): Promise<T> {
    const late = AbortSignal.timeout(SILENT_MS);
    try {
      return await unlessAborted(work(on), late);
    } catch (error) {
      if (late.aborted) this.#renew();
      throw error;
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#pool, this.#side].map((pool) => pool.$client.end({ timeout: 5 })));
  }

  #open(): [pool: Db, side: Db] {
    return [connect(this.#url, this.#options), connect(this.#url, { ...this.#options, max: 1 })];
  }

  #watch(): void {
    if (this.#watched) return;
    this.#watched = true;
    void (async () => {
      for (;;) {
        await sleep(SILENT_MS, undefined, { ref: false });
        if (this.#users === 0) break;
        await this.beside(async (side) => side.execute(sql`select 1`)).catch(this.#onSilent);
      }
      this.#watched = false;
    })();
  }

  #renew(): void {
    const old = [this.#pool, this.#side];
    [this.#pool, this.#side] = this.#open();
    for (const pool of old) pool.$client.end({ timeout: 0 }).catch(() => {});
  }
}
