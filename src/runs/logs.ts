/**
 * Reading a deployment's log (design 6.4): the chunks of its runs in order, sealed ones from the object store, the last one
 * from the row while it is still being written. One statement reads what there is; everything after it reads only bytes
 * that never change, so a reader gets a true prefix, without gap or repeat.
 */
import { sql } from "drizzle-orm";
import type { Keyring } from "../crypto/keyring.ts";
import type { Queryable } from "../db/client.ts";
import type { SealedObjects } from "../objects/sealed.ts";
import { isRunTerminal, type RunStatus } from "./lifecycle.ts";
import { livePlace, sealedPlace } from "./storedPlaces.ts";

export type LogStore = { db: Queryable; objects: SealedObjects; keyring: Keyring };

export type Chunk = {
  index: number;
  sealed: boolean;
  size: number;
  objectKey: string | null;
  liveBytes: Buffer | null;
};

/** What can be read now. */
export type LogView = {
  /** Bytes. */
  size: number;
  /** Whether nothing more will come from these runs. */
  complete: boolean;
  /** Bytes from `start` up to, not including, `end`. The stream fails rather than give other bytes. */
  read(start: number, end: number): AsyncGenerator<Buffer, void>;
};

/**
 * The chunks a reader may see, in order. While the run goes on, a chunk after the first unsealed one would leave a gap that
 * fills later, so reading stops there. When the run is over, what was pushed last is final: a dead runner seals nothing.
 */
export function visibleChunks(chunks: readonly Chunk[], runIsOver: boolean): Chunk[] {
  if (runIsOver) return [...chunks];
  const visible: Chunk[] = [];
  for (const chunk of chunks) {
    if (chunk.index !== visible.length) break;
    visible.push(chunk);
    if (!chunk.sealed) break;
  }
  return visible;
}

/** The log of these runs, one after another in the order given. */
export async function openLog(store: LogStore, runIds: readonly string[]): Promise<LogView> {
  const runs = await readChunks(store.db, runIds);
  const parts = runs.flatMap((run) =>
    visibleChunks(run.chunks, run.over).map((chunk) => ({ runId: run.runId, ...chunk })),
  );
  return {
    size: parts.reduce((sum, part) => sum + part.size, 0),
    complete: runs.every((run) => run.over),
    read: (start, end) => readParts(store, parts, start, end),
  };
}

type Part = Chunk & { runId: string };

async function* readParts(
  store: LogStore,
  parts: readonly Part[],
  start: number,
  end: number,
): AsyncGenerator<Buffer, void> {
  let at = 0;
  for (const part of parts) {
    const from = Math.max(0, start - at);
    const to = Math.min(part.size, end - at);
    at += part.size;
    if (from >= to) continue;
    yield (await bytesOf(store, part)).subarray(from, to);
  }
}

async function bytesOf({ objects, keyring }: LogStore, part: Part): Promise<Buffer> {
  if (part.liveBytes !== null) return keyring.open(part.liveBytes, livePlace(part.runId, part.index));
  const stored = await objects.getSealed(part.objectKey ?? "", sealedPlace(part.runId, part.index));
  const bytes = stored === null ? null : Buffer.concat(await stored.toArray());
  if (bytes?.length !== part.size) throw new Error(`log chunk ${part.runId}/${part.index} is missing from the store`);
  return bytes;
}

async function readChunks(
  db: Queryable,
  runIds: readonly string[],
): Promise<{ runId: string; over: boolean; chunks: Chunk[] }[]> {
  const rows = (await db.execute(sql`
    select r.id, r.status, l.chunk_index, l.sealed, l.size, l.object_key, l.live_bytes
    from jsonb_array_elements_text(${JSON.stringify(runIds)}::jsonb) with ordinality as asked (id, place)
    join runs r on r.id = asked.id::uuid
    left join log_chunks l on l.run_id = r.id
    order by asked.place, l.chunk_index`)) as unknown as {
    id: string;
    status: RunStatus;
    chunk_index: number | null;
    sealed: boolean;
    size: number;
    object_key: string | null;
    live_bytes: Buffer | null;
  }[];
  const byRun = new Map<string, { runId: string; over: boolean; chunks: Chunk[] }>();
  for (const row of rows) {
    const run = byRun.get(row.id) ?? { runId: row.id, over: isRunTerminal(row.status), chunks: [] };
    byRun.set(row.id, run);
    if (row.chunk_index === null) continue;
    const { sealed, size, object_key: objectKey, live_bytes: liveBytes } = row;
    run.chunks.push({ index: row.chunk_index, sealed, size, objectKey, liveBytes });
  }
  return [...byRun.values()];
}
