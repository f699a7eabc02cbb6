/**
 * A streaming replica for statements that only read. It is asked only once it has replayed what the primary had
 * committed when the statement came, so nobody can tell from an answer which of the two gave it. Whatever it cannot
 * answer, the primary does (docs/operations.md#a-read-replica).
 */
import type { SQL } from "drizzle-orm";
import { unlessAborted } from "../time/unlessAborted.ts";
import type { Db, PoolOptions, Reader } from "./client.ts";
import { lagSeconds, Positions, reach } from "./position.ts";
import { sqlState } from "./sqlState.ts";
import { SILENT_MS, WatchedPool } from "./watchedPool.ts";

/** How long a statement waits for the replica to catch up, and for a free connection to it. */
const WAIT_MS = 250;
/** So long nothing is asked of a replica that failed or was behind; then it is looked at again, beside the reads. */
const REST_MS = 1_000;

export type ReplicaOptions = Required<PoolOptions> & {
  /** Knows every fact. */
  primary: Reader;
  /** Who answered a statement. */
  answered: (by: "replica" | "primary") => void;
  /** All reads go to the primary from now on, and why; or to the replica again. */
  turned: (to: "replica" | "primary", why?: unknown) => void;
};

/** It is busy and not away. */
class NoConnectionError extends Error {}

export class ReadReplica {
  /** In the place of the primary's pool. */
  readonly reader: Reader = { execute: ((query: SQL) => this.#read(query)) as unknown as Reader["execute"] };
  readonly #options: ReplicaOptions;
  readonly #positions: Positions;
  readonly #pool: WatchedPool;
  /** Null: it may be asked. */
  #restsUntil: number | null = null;
  #looking = false;

  constructor(url: string, options: ReplicaOptions) {
    const { max, name, statementMs } = options;
    this.#options = options;
    this.#positions = new Positions(options.primary);
    this.#pool = new WatchedPool(url, { max, name, statementMs }, (why) => this.#rest(why));
  }

  /** How old what it knows is. @throws when it does not answer, or is no replica of the primary */
  lagSeconds(): Promise<number> {
    return this.#pool.beside(async (side) => lagSeconds(side, await this.#positions.next()));
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  async #read(query: SQL) {
    const rows = this.#mayBeAsked() ? await this.#fromReplica(query) : null;
    this.#options.answered(rows === null ? "primary" : "replica");
    return rows ?? this.#options.primary.execute(query);
  }

  /** Null: the primary has to. @throws what the time limit of statements ended */
  async #fromReplica(query: SQL) {
    const began = performance.now();
    try {
      return await this.#pool.use((pool) => this.#caughtUp(pool, query));
    } catch (error) {
      if (sqlState(error) === "57014" && performance.now() - began >= this.#options.statementMs) throw error;
      if (!concernsOne(error)) this.#rest(error);
      return null;
    }
  }

  /** All on one connection, since several servers may stand behind the address. */
  async #caughtUp(pool: Db, query: SQL) {
    const position = await this.#positions.next();
    const late = AbortSignal.timeout(WAIT_MS);
    const reached = Promise.withResolvers<void>();
    let connected = false;
    const rows = pool.transaction(async (tx) => {
      connected = true;
      late.throwIfAborted();
      await reach(tx, position, late);
      late.throwIfAborted();
      reached.resolve();
      return await tx.execute(query);
    });
    await unlessAborted(Promise.race([reached.promise, rows]), late).catch((error: unknown) => {
      throw !connected && this.#pool.crowded ? new NoConnectionError() : error;
    });
    // The server has ended it by then, and the way to it has lost the answer.
    return await unlessAborted(rows, AbortSignal.timeout(this.#options.statementMs + SILENT_MS));
  }

  #mayBeAsked(): boolean {
    if (this.#restsUntil === null) return true;
    if (!this.#looking && performance.now() >= this.#restsUntil) void this.#lookAgain();
    return false;
  }

  #rest(why: unknown): void {
    if (this.#restsUntil === null) this.#options.turned("primary", why);
    this.#restsUntil = performance.now() + REST_MS;
  }

  async #lookAgain(): Promise<void> {
    this.#looking = true;
    try {
      const soon = AbortSignal.timeout(WAIT_MS);
      await this.#pool.inTime(async (pool) => reach(pool, await this.#positions.next(), soon));
      this.#restsUntil = null;
      this.#options.turned("replica");
    } catch (error) {
      this.#rest(error);
    } finally {
      this.#looking = false;
    }
  }
}

/**
 * Nothing is wrong with the replica: it has no connection left, what it had to replay was in the way of this statement,
 * or the statement is none for a replica.
 */
function concernsOne(error: unknown): boolean {
  return error instanceof NoConnectionError || /^(?:0A|22|40|42|57014)/.test(sqlState(error) ?? "");
}
