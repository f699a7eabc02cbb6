/**
 * The bytes of stored log chunks, shared by all readers of this process: sealed chunks never change, so a few of the
 * newest are kept, and readers that ask for one at the same time cause one read. Memory: `KEPT_CHUNKS` chunks of 64
 * KiB.
 */
import { sql } from "drizzle-orm";
import { readCache } from "../../platform/cache/readCache.ts";
import type { Keyring } from "../../platform/crypto/keyring.ts";
import type { Queryable, Reader } from "../../platform/db/client.ts";
import type { NamedRow } from "../../platform/db/sqlRow.ts";
import type { SealedObjects } from "../../platform/objects/sealed.ts";
import type { logChunks } from "../runs/schema.ts";
import { livePlace, sealedPlace } from "../runs/storedPlaces.ts";

export type LogStore = {
  db: Queryable;
  /** Where it is looked up which chunks there are. Absent: in `db`. */
  lists?: Reader;
  objects: Pick<SealedObjects, "getSealed">;
  keyring: Pick<Keyring, "open">;
  /** How long a runner's token works after its run ended, in milliseconds: so long may sealed chunks arrive. */
  graceMs: number;
};

type Chunk = NamedRow<typeof logChunks, "sealed" | "size" | "objectKey"> & { index: number };
type SealedChunk = { runId: string; chunk: Chunk };
type PagePlace = { runId: string; index: number; final: boolean };

const PAGE_CHUNKS = 32;
const KEPT_CHUNKS = 64;
const KEPT_PAGES = 256;
/** Chunks of a long reading that are fetched and opened while the ones before them are sent. */
const READ_AHEAD = 4;

/** The log changed in a way that no reader can go on from: removed by retention, or its object is gone. */
export class LogGoneError extends Error {
  override name = "LogGoneError";
}

export class LogChunks {
  readonly #store: LogStore;
  readonly #pages = readCache((_key: string, place: PagePlace) => this.#readPage(place), { max: KEPT_PAGES });
  readonly #sealed = readCache((_key: string, chunk: SealedChunk) => this.#readSealed(chunk), { max: KEPT_CHUNKS });

  constructor(store: LogStore) {
    this.#store = store;
  }

  get #index(): Reader {
    return this.#store.lists ?? this.#store.db;
  }

  /** Reads one run's log from any place on, forwards. */
  cursor(runId: string): LogCursor {
    return new LogCursor(this, runId);
  }

  /**
   * Up to 32 chunks in order, from `index` on; an unsealed one is the last. Of a log that is final gaps are skipped.
   */
  async page(runId: string, index: number, final: boolean): Promise<Chunk[]> {
    const key = `${runId}/${index}/${final}`;
    const page = await this.#pages.forceFetch(key, { context: { runId, index, final } });
    // A page that is not full grows later.
    if (page.length < PAGE_CHUNKS || !page.every((chunk) => chunk.sealed)) this.#pages.delete(key);
    return page;
  }

  async #readPage({ runId, index, final }: PagePlace): Promise<Chunk[]> {
    const rows = await this.#index.execute<Chunk>(sql`
      select chunk_index as index, sealed, size, object_key as "objectKey" from log_chunks
      where run_id = ${runId} and chunk_index >= ${index}::int order by chunk_index limit ${PAGE_CHUNKS}::int`);
    const page: Chunk[] = [];
    for (const chunk of rows) {
      if (!final && chunk.index !== index + page.length) break;
      page.push(chunk);
      if (!chunk.sealed) break;
    }
    return page;
  }

  /** The chunk that holds byte `offset` of the run's log, and where it starts. */
  async locate(runId: string, offset: number): Promise<{ index: number; start: number }> {
    if (offset === 0) return { index: 0, start: 0 };
    const [row] = await this.#index.execute<{
      index: number;
      start: number;
    }>(sql`
      select chunk_index as index, start from (
        select chunk_index, size, (sum(size) over (order by chunk_index) - size)::float8 as start
        from log_chunks where run_id = ${runId}
      ) placed where start <= ${offset}::float8 and start + size > ${offset}::float8 limit 1`);
    if (row === undefined) throw new LogGoneError(`the log of run ${runId} has no byte ${offset}`);
    return row;
  }

  sealedBytes(runId: string, chunk: Chunk): Promise<Buffer> {
    return this.#sealed.forceFetch(`${runId}/${chunk.index}`, { context: { runId, chunk } });
  }

  async #readSealed({ runId, chunk: { index, size, objectKey } }: SealedChunk): Promise<Buffer> {
    const stored = await this.#store.objects.getSealed(objectKey ?? "", sealedPlace(runId, index), size);
    const pieces: Buffer[] = stored === null ? [] : await stored.toArray();
    const bytes = pieces.length === 1 ? pieces[0] : Buffer.concat(pieces);
    if (stored === null || bytes?.length !== size)
      throw new LogGoneError(`log chunk ${runId}/${index} is not in the store`);
    return bytes;
  }

  /** What was pushed last of a live chunk; null when it was sealed meanwhile. */
  async liveBytes(runId: string, index: number): Promise<Buffer | null> {
    const [row] = await this.#store.db.execute<{ live_bytes: Buffer }>(sql`
      select live_bytes from log_chunks
      where run_id = ${runId} and chunk_index = ${index}::int and not sealed`);
    return row === undefined ? null : this.openLive(runId, index, row.live_bytes);
  }

  openLive(runId: string, index: number, stored: Buffer): Promise<Buffer> {
    return this.#store.keyring.open(stored, livePlace(runId, index));
  }
}

/** A place in one run's log. Holds a page of chunk names, never more bytes than a chunk and those read ahead. */
export class LogCursor {
  readonly #chunks: LogChunks;
  readonly #runId: string;
  #page: Chunk[] = [];
  /** Offset at which the first chunk of the page starts, or would. */
  #start = 0;
  #nextIndex: number | null = null;

  constructor(chunks: LogChunks, runId: string) {
    this.#chunks = chunks;
    this.#runId = runId;
  }

  /**
   * Bytes from `at` on, at most to `to` and at most the rest of one chunk; never none. The caller knows that they are
   * there, and whether the log is final, and asks for ascending places. @throws LogGoneError
   */
  async read(at: number, to: number, final: boolean): Promise<Buffer> {
    for (;;) {
      const chunk = await this.#chunkAt(at, final);
      if (chunk.sealed) {
        this.#readAhead(to);
        const bytes = await this.#chunks.sealedBytes(this.#runId, chunk);
        return bytes.subarray(at - this.#start, to - this.#start);
      }
      // It may grow, so the next read looks at its row again.
      this.#page = [];
      this.#nextIndex = chunk.index;
      const bytes = await this.#chunks.liveBytes(this.#runId, chunk.index);
      if (bytes === null) continue;
      if (bytes.length <= at - this.#start) throw new LogGoneError(`log chunk ${this.#runId}/${chunk.index} shrank`);
      return bytes.subarray(at - this.#start, to - this.#start);
    }
  }

  /** What goes wrong with a chunk is told when it is its turn. */
  #readAhead(to: number): void {
    let start = this.#start;
    for (const [place, chunk] of this.#page.slice(0, READ_AHEAD + 1).entries()) {
      if (!chunk.sealed || start >= to) return;
      if (place > 0) this.#chunks.sealedBytes(this.#runId, chunk).catch(() => {});
      start += chunk.size;
    }
  }

  async #chunkAt(at: number, final: boolean): Promise<Chunk> {
    if (this.#nextIndex === null) {
      const { index, start } = await this.#chunks.locate(this.#runId, at);
      this.#nextIndex = index;
      this.#start = start;
    }
    for (;;) {
      for (let chunk = this.#page[0]; chunk !== undefined; chunk = this.#page[0]) {
        if (!chunk.sealed || this.#start + chunk.size > at) return chunk;
        this.#start += chunk.size;
        this.#page.shift();
      }
      const page = await this.#chunks.page(this.#runId, this.#nextIndex, final);
      const last = page.at(-1);
      if (last === undefined) throw new LogGoneError(`the log of run ${this.#runId} has no byte ${at}`);
      this.#page = [...page];
      this.#nextIndex = last.index + 1;
    }
  }
}
