/**
 * Logs as a runner sends them (docs/rules/runner-protocol.md#logs). Identity is (run, chunk index). Live bytes only
 * ever extend a chunk; sealing replaces them in one statement, and from then on the chunk never changes. So pushes
 * and seals may arrive late, twice or out of order and readers still see each byte once.
 */
import { createHash, randomUUID } from "node:crypto";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { type SQL, sql } from "drizzle-orm";
import { type Context, Hono } from "hono";
import { readBody } from "../../http/requestBody.ts";
import type { Db, Queryable } from "../../platform/db/client.ts";
import type { SqlRow } from "../../platform/db/sqlRow.ts";
import { compressedName } from "../../platform/objects/compression.ts";
import {
  InvalidValueError,
  MalformedRequestError,
  PayloadTooLargeError,
} from "../../platform/problems/requestErrors.ts";
import { QuotaReachedError } from "../../work/quotas.ts";
import type { RunnerRow } from "../runnerIdentity/admission.ts";
import { RunnerConflictError } from "../runnerIdentity/errors.ts";
import { isAccepted, isRunTerminal } from "../runs/lifecycle.ts";
import { LiveLogBody, LOG_CHUNK_BYTES } from "../runs/protocol.ts";
import type { logChunks } from "../runs/schema.ts";
import { livePlace, sealedPlace } from "../runs/storedPlaces.ts";
import { comeAgain, FOLLOWED } from "./comeAgain.ts";
import type { RunnerDeps } from "./deps.ts";
import { runnerCall } from "./runnerCall.ts";
import { ofRunner } from "./runnerOperation.ts";
import { readKnown } from "./runnerRequest.ts";

const inflate = promisify(gunzip);
const MAX_CHUNK_INDEX = 1_000_000;

export function logRoutes(deps: RunnerDeps): Hono {
  return new Hono()
    .post(
      "/:run_id/logs/live",
      ofRunner({ id: "pushLiveLog", summary: "The bytes of the active chunk so far", body: LiveLogBody }),
      (c) => pushLive(deps, c, c.req.param("run_id")),
    )
    .put(
      "/:run_id/logs/chunks/:index",
      ofRunner({ id: "sealLogChunk", summary: "A whole chunk, for ever", rawBody: BYTES, problems: [409, 422] }),
      (c) => seal(deps, c, c.req.param("run_id"), c.req.param("index")),
    );
}

const BYTES = "application/octet-stream";

const PUSHERS = ["own", "stale", "removed"] as const;

/** One statement; 204 for every well-formed push, also when it comes too late to have an effect. */
async function pushLive(deps: RunnerDeps, c: Context, run_id: string): Promise<Response> {
  // Read once, though the statement may be built again after a key rotation.
  let read: ReturnType<typeof readChunk> | undefined;
  const row = await runnerCall<RunnerRow & { followed: boolean }>(deps, c, { run_id }, PUSHERS, async () => {
    read ??= readChunk(deps, c);
    const { chunk_index, bytes } = await read;
    const live = await deps.keyring.seal(bytes, livePlace(run_id, chunk_index));
    return sql`, written as (
        insert into log_chunks (run_id, chunk_index, sealed, size, live_bytes)
        select c.run_id, ${chunk_index}::int, false, ${bytes.length}::int, ${live}::bytea from caller c
        where c.valid and c.relation = 'own' and c.run_status in ('running', 'requested_cancellation', 'cancelling')
          and ${chunk_index}::int < ${chunksPerRun(deps)}::int
        on conflict (run_id, chunk_index) do update set size = excluded.size, live_bytes = excluded.live_bytes
        where not log_chunks.sealed and log_chunks.size < excluded.size
      )
      select *, ${FOLLOWED} from caller`;
  });
  comeAgain(deps, c, row);
  return c.body(null, 204);
}

async function readChunk(deps: RunnerDeps, c: Context): Promise<{ chunk_index: number; bytes: Buffer }> {
  const { chunk_index, data } = await readKnown(c, LiveLogBody, deps.metrics, "logs/live");
  return { chunk_index, bytes: await inflated(Buffer.from(data, "base64")) };
}

/** @throws PayloadTooLargeError when more than a chunk comes out, MalformedRequestError when it is not gzip */
async function inflated(gzipped: Buffer): Promise<Buffer> {
  try {
    return await inflate(gzipped, { maxOutputLength: LOG_CHUNK_BYTES });
  } catch (error) {
    if ((error as { code?: unknown }).code === "ERR_BUFFER_TOO_LARGE") {
      throw new PayloadTooLargeError(LOG_CHUNK_BYTES, "data, once decoded and inflated,");
    }
    throw new MalformedRequestError("data is not gzip in base64.");
  }
}

type ChunkRow = RunnerRow & { sealed_sha256: string | null };

/** Store the final bytes of a chunk, also within the grace after the run ended. The same bytes again are 204. */
async function seal(deps: RunnerDeps, c: Context, run_id: string, indexText: string): Promise<Response> {
  // Without an effect until it is known who calls; an index that makes no sense is told after that.
  const index = chunkIndex(indexText);
  const row = await runnerCall<ChunkRow>(
    deps,
    c,
    { run_id },
    ["own", "removed"],
    () => sql`select c.*, l.sha256 as sealed_sha256 from caller c
      left join log_chunks l on l.run_id = c.run_id and l.chunk_index = ${index ?? -1}::int and l.sealed`,
  );
  if (index === null)
    throw new InvalidValueError([{ field: "index", message: `expected a whole number from 0 to ${MAX_CHUNK_INDEX}` }]);
  if (!isAccepted(row.run_status) && !isRunTerminal(row.run_status)) {
    throw new RunnerConflictError("The run was not accepted by this runner.");
  }
  if (index >= chunksPerRun(deps)) {
    throw new QuotaReachedError("log_bytes", deps.logBytesPerRun, await storedBytes(deps.service.db, run_id));
  }
  const bytes = await readBody(c.req.raw, LOG_CHUNK_BYTES);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  if (row.sealed_sha256 === null && (await storeSealed(deps, run_id, index, bytes))) return c.body(null, 204);
  const stored = row.sealed_sha256 ?? (await sealedDigest(deps, run_id, index));
  if (stored === null) throw new RunnerConflictError("The log does not take this chunk any more.", "conflict");
  if (stored !== sha256) throw new RunnerConflictError("The chunk was sealed with other bytes.", "conflict");
  return c.body(null, 204);
}

/** A chunk has at most 64 KiB, so a run that has no more of them has no more bytes: whatever comes at once. */
function chunksPerRun({ logBytesPerRun }: RunnerDeps): number {
  return Math.ceil(logBytesPerRun / LOG_CHUNK_BYTES);
}

async function storedBytes(db: Queryable, runId: string): Promise<number> {
  const [row] = await db.execute<{ bytes: number }>(
    sql`select coalesce(sum(size), 0)::float8 as bytes from log_chunks where run_id = ${runId}`,
  );
  return row?.bytes ?? 0;
}

function chunkIndex(text: string): number | null {
  return /^\d{1,7}$/.test(text) && Number(text) <= MAX_CHUNK_INDEX ? Number(text) : null;
}

/** The object first, then the row that names it: a reader never meets a name without an object. False: not taken. */
async function storeSealed(deps: RunnerDeps, runId: string, index: number, bytes: Buffer): Promise<boolean> {
  const key = compressedName(`runs/${runId}/logs/${index}-${randomUUID()}`);
  const { size, sha256 } = await deps.objects.putSealed(key, sealedPlace(runId, index), bytes);
  const chunk = { runId, index, size, key, sha256 };
  const stored = (await nameSealed(deps.service.db, chunk)) || (await nameSealedLate(deps.service.db, chunk));
  if (!stored) await deps.objects.delete(key);
  return stored;
}

type SealedChunk = { runId: string; index: number; size: number; key: string; sha256: string };

/** While the run is not over. The share lock makes the end of the run wait, or this see it. */
async function nameSealed(db: Queryable, chunk: SealedChunk): Promise<boolean> {
  const rows = await db.execute(sql`
    with live_run as (select id from runs where id = ${chunk.runId} and completed_at is null for share)
    ${insertSealed(chunk, sql`from live_run`)}`);
  return rows.length > 0;
}

/**
 * Within the grace after the run ended. Once another run of the deployment follows, the log neither grows nor fills its
 * gaps: everything after it would move under its readers. Whoever makes that run holds this one's lock, so what the
 * second statement sees is final.
 */
async function nameSealedLate(db: Db, chunk: SealedChunk): Promise<boolean> {
  return db.transaction(async (tx) => {
    await tx.execute(sql`select from runs where id = ${chunk.runId} for share`);
    const rows = await tx.execute(
      insertSealed(
        chunk,
        sql`where not exists (
            select from stages s join stages n on n.deployment_id = s.deployment_id and n.position > s.position
            where s.run_id = ${chunk.runId} and n.run_id is not null)
          or exists (
            select from log_chunks l
            where l.run_id = ${chunk.runId} and l.chunk_index = ${chunk.index}::int and l.size = ${chunk.size}::int)`,
      ),
    );
    return rows.length > 0;
  });
}

/** Sealed bytes replace live ones, which they extend. */
function insertSealed({ runId, index, size, key, sha256 }: SealedChunk, rest: SQL): SQL {
  return sql`
    insert into log_chunks (run_id, chunk_index, sealed, size, object_key, sha256)
    select ${runId}::uuid, ${index}::int, true, ${size}::int, ${key}, ${sha256} ${rest}
    on conflict (run_id, chunk_index) do update
      set sealed = true, size = excluded.size, live_bytes = null, object_key = excluded.object_key, sha256 = excluded.sha256
      where not log_chunks.sealed and log_chunks.size <= excluded.size
    returning 1`;
}

async function sealedDigest(deps: RunnerDeps, runId: string, index: number): Promise<string | null> {
  const [row] = await deps.service.db.execute<SqlRow<typeof logChunks, "sha256">>(
    sql`select sha256 from log_chunks where run_id = ${runId} and chunk_index = ${index}::int and sealed`,
  );
  return row?.sha256 ?? null;
}
