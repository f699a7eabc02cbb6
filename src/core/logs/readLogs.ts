/**
 * `GET .../deployments/{id}/logs`: as bytes, whole or by range, or as an event stream. The caller has authorized the
 * deployment.
 */
import { Readable } from "node:stream";
import type { Context } from "hono";
import { NotFoundError, ProblemError } from "../../platform/problems/problem.ts";
import { InvalidValueError } from "../../platform/problems/requestErrors.ts";
import { requireUuids } from "../../platform/problems/requireRow.ts";
import { AccessHints } from "./accessHints.ts";
import { askedBytes, byteCount } from "./askedBytes.ts";
import { LogChunks, LogGoneError, type LogStore } from "./logChunks.ts";
import { encodeEvent, eventStream } from "./logEvents.ts";
import { LogFeed } from "./logFeed.ts";
import { followLog } from "./logStream.ts";
import { type DeploymentLog, isComplete, readLog, viewLog } from "./logs.ts";

/** A stream ends after this long, and its client comes back. */
const STREAM_MS = 900_000;
/**
 * How often it is asked whether its reader may still read: whose token, session or role is gone is served no longer
 * than this, and some two seconds where the hint of it arrives.
 */
const RECHECK_MS = 15_000;

/** What reads logs for people in one process. */
export type LogReading = LogStore & {
  chunks: LogChunks;
  feed: LogFeed;
  /** An event stream broke off. */
  onError: (error: unknown) => void;
  recheckMs: number;
  /** Told when anybody's access may have ended. */
  access: AccessHints;
};

/** Throws a problem of the 4xx kind once the reader may not read any more. */
export type MayStillRead = () => Promise<unknown>;

export function logReading(store: LogStore, onError: (error: unknown) => void, recheckMs = RECHECK_MS): LogReading {
  const chunks = new LogChunks(store);
  return { ...store, chunks, feed: new LogFeed(store, chunks), onError, recheckMs, access: new AccessHints() };
}

/**
 * Answers for a deployment the caller may read. `?stage=` picks one stage by id, else all runs follow one another.
 * `Range` gives 206; `?offset=&limit=` gives 200 and, past the end, nothing. `X-Log-Complete` says whether more is
 * expected. `Accept: text/event-stream` follows the log from `offset` on, for as long as `mayStillRead` does not
 * refuse.
 * @throws NotFoundError, InvalidValueError, LogRemovedError, StorageUnavailableError
 */
export function logsRoute(
  reading: LogReading,
): (c: Context, deploymentId: string, mayStillRead: MayStillRead) => Promise<Response> {
  return async (c, deploymentId, mayStillRead) => {
    const stageId = c.req.query("stage");
    if (stageId !== undefined) requireUuids(stageId);
    const log = await readLog(reading, deploymentId);
    if (log === null) throw new NotFoundError();
    const follows = /\btext\/event-stream\b/i.test(c.req.header("accept") ?? "");
    return follows
      ? follow(reading, c, { deploymentId, log, stageId, mayStillRead })
      : bytes(reading, c, { deploymentId, log, stageId });
  };
}

/** Retention has removed it, or is about to. */
class LogRemovedError extends ProblemError {
  constructor(cause: LogGoneError) {
    super({ status: 404, code: "not_found", detail: "The log has been removed.", cause });
  }
}

async function bytes(
  { chunks }: LogReading,
  c: Context,
  { deploymentId, log, stageId }: Pick<Following, "deploymentId" | "log" | "stageId">,
): Promise<Response> {
  const view = viewLog(chunks, log, stageId);
  if (view === null) throw new NotFoundError();
  const range = askedBytes(c, view.size);
  const headers: Record<string, string> = {
    "content-type": "text/plain; charset=utf-8",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "accept-ranges": "bytes",
    vary: "accept",
    "x-log-complete": String(view.complete),
    "x-log-gaps": String(view.gaps),
  };
  if (range === "unsatisfiable") return c.body(null, 416, { ...headers, "content-range": `bytes */${view.size}` });
  const { start, end, partial } = range;
  headers["content-length"] = String(end - start);
  // Of a log that is over no byte changes.
  if (view.complete) headers.etag = `"${deploymentId}.${stageId ?? "all"}.${start}-${end}"`;
  // The length of a log that still grows is not known yet.
  if (partial) headers["content-range"] = `bytes ${start}-${end - 1}/${view.complete ? view.size : "*"}`;
  if (c.req.method === "HEAD") return c.body(null, partial ? 206 : 200, headers);
  const pieces = await begun(view.read(start, end));
  const body = Readable.toWeb(Readable.from(pieces, { objectMode: false }));
  return c.body(body as unknown as ReadableStream, partial ? 206 : 200, headers);
}

/**
 * The same pieces, the first of them read: what cannot be read at all gets an answer that says so, where later there is
 * only the connection to break off.
 * @throws LogRemovedError, StorageUnavailableError, DecryptionError
 */
async function begun(pieces: AsyncGenerator<Buffer, void>): Promise<AsyncGenerator<Buffer, void>> {
  const first = await firstOf(pieces);
  return (async function* () {
    try {
      if (first.done) return;
      yield first.value;
      yield* pieces;
    } finally {
      await pieces.return();
    }
  })();
}

function firstOf(pieces: AsyncGenerator<Buffer, void>): Promise<IteratorResult<Buffer, void>> {
  return pieces.next().catch((error: unknown) => {
    throw error instanceof LogGoneError ? new LogRemovedError(error) : error;
  });
}

type Following = {
  deploymentId: string;
  log: DeploymentLog;
  stageId: string | undefined;
  mayStillRead: MayStillRead;
};

async function follow(
  { chunks, feed, onError, recheckMs, access }: LogReading,
  c: Context,
  { deploymentId, log, stageId, mayStillRead }: Following,
): Promise<Response> {
  const view = viewLog(chunks, log, stageId);
  if (view === null) throw new NotFoundError();
  if (c.req.query("limit") !== undefined) {
    throw new InvalidValueError([{ field: "limit", message: "an event stream goes on to the end of the log" }]);
  }
  const last = c.req.header("last-event-id");
  const from = last === undefined || last === "" ? (byteCount(c, "offset") ?? 0) : lastEventId(last);
  // A client that has seen the end and comes back by habit: 204 tells it to stop.
  if (last !== undefined && last !== "" && isComplete(log, stageId) && from >= view.size) return c.body(null, 204);
  const headers = {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "x-accel-buffering": "no",
    vary: "accept",
  };
  // Nobody will read the body of an answer to HEAD, nor tell that they have left.
  if (c.req.method === "HEAD") return c.body(null, 200, headers);
  // A client whose stream broke off comes back to where it was, and again for ever, unless it hears why.
  if (from < view.size) await firstOf(view.read(from, from + 1));
  const stream = openStream({ recheckMs, access, closing: feed.closing, mayStillRead });
  const pieces = followLog(feed, chunks, { deploymentId, stageId, from }, stream.signal);
  return c.body(stream.body(pieces, encodeEvent, onError), 200, headers);
}

type Watching = Pick<LogReading, "recheckMs" | "access"> & { closing: AbortSignal; mayStillRead: MayStillRead };

/**
 * An event stream that ends with the process, after its longest time, when its client leaves, and when its reader may
 * not read any more: asked again and again, and at once when somebody's access has changed.
 */
export function openStream({ recheckMs, access, closing, mayStillRead }: Watching) {
  const left = new AbortController();
  const signal = AbortSignal.any([left.signal, closing, AbortSignal.timeout(STREAM_MS)]);
  // The database that cannot be asked refuses nobody.
  const check = () => mayStillRead().catch((error) => isRefusal(error) && left.abort());
  const recheck = setInterval(check, recheckMs);
  recheck.unref();
  const unwatch = access.watch(check);
  const release = () => {
    clearInterval(recheck);
    unwatch();
  };
  signal.addEventListener("abort", release, { once: true });
  const body = <Piece>(
    pieces: AsyncGenerator<Piece, void>,
    encode: (piece: Piece) => string,
    onError: (error: unknown) => void,
  ) =>
    eventStream(pieces, encode, (why) => {
      left.abort();
      // Releases the watch also when nothing was ever read.
      pieces.return().catch(() => {});
      if (why !== undefined) onError(why);
    });
  return { signal, body };
}

function isRefusal(error: unknown): boolean {
  return error instanceof ProblemError && error.status < 500;
}

function lastEventId(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new InvalidValueError([{ field: "Last-Event-ID", message: "expected the id of an event of this stream" }]);
}
