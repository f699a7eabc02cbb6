/** `GET .../deployments/{id}/logs`: the log as bytes, whole or by range (design 6.4). The caller has authorized the deployment. */
import { Readable } from "node:stream";
import { sql } from "drizzle-orm";
import type { Context } from "hono";
import { NotFoundError } from "../http/problem.ts";
import { InvalidValueError } from "../http/requestErrors.ts";
import { type LogStore, openLog } from "./logs.ts";

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Answers for a deployment the caller may read. `?stage=` picks one stage by id, else all runs follow one another.
 * `Range` gives 206; `?offset=&limit=` gives 200 and, past the end, nothing, which suits a reader that follows a log.
 * `X-Log-Complete` says whether more can come. @throws NotFoundError, InvalidValueError
 */
export function logsRoute(store: LogStore): (c: Context, deploymentId: string) => Promise<Response> {
  return async (c, deploymentId) => {
    const log = await openLog(store, await runsOf(store, deploymentId, c.req.query("stage")));
    const asked = askedRange(c, log.size);
    const headers: Record<string, string> = {
      "content-type": "text/plain; charset=utf-8",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "accept-ranges": "bytes",
      "x-log-complete": String(log.complete),
    };
    if (asked === "unsatisfiable") return c.body(null, 416, { ...headers, "content-range": `bytes */${log.size}` });
    const { start, end, partial } = asked;
    headers["content-length"] = String(end - start);
    // The length of a log that still grows is not known yet.
    if (partial) headers["content-range"] = `bytes ${start}-${end - 1}/${log.complete ? log.size : "*"}`;
    const body = Readable.toWeb(Readable.from(log.read(start, end), { objectMode: false }));
    return c.body(body as unknown as ReadableStream, partial ? 206 : 200, headers);
  };
}

async function runsOf({ db }: LogStore, deploymentId: string, stage: string | undefined): Promise<string[]> {
  if (stage !== undefined && !UUID.test(stage)) throw new NotFoundError();
  const rows = (await db.execute(sql`
    select run_id from stages where deployment_id = ${deploymentId}
      and (${stage ?? null}::uuid is null or id = ${stage ?? null}::uuid)
    order by position`)) as unknown as { run_id: string | null }[];
  if (stage !== undefined && rows.length === 0) throw new NotFoundError();
  return rows.flatMap((row) => row.run_id ?? []);
}

type Asked = { start: number; end: number; partial: boolean };

function askedRange(c: Context, size: number): Asked | "unsatisfiable" {
  const offset = wholeNumber(c, "offset");
  const limit = wholeNumber(c, "limit");
  if (offset !== undefined || limit !== undefined) {
    const start = Math.min(offset ?? 0, size);
    return { start, end: Math.min(size, start + (limit ?? size)), partial: false };
  }
  return byteRange(c.req.header("range"), size);
}

function wholeNumber(c: Context, name: "offset" | "limit"): number | undefined {
  const text = c.req.query(name);
  if (text === undefined) return undefined;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new InvalidValueError([{ field: name, message: "expected a whole number of bytes" }]);
}

/** One range of bytes as RFC 9110 has it; another unit, several ranges or nonsense are ignored, as it also says. */
export function byteRange(header: string | undefined, size: number): Asked | "unsatisfiable" {
  const whole = { start: 0, end: size, partial: false };
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? "");
  const [, first = "", last = ""] = match ?? [];
  if (match === null || (first === "" && last === "")) return whole;
  if (first === "") {
    const tail = Math.min(Number(last), size);
    return tail === 0 ? "unsatisfiable" : { start: size - tail, end: size, partial: true };
  }
  const start = Number(first);
  if (last !== "" && Number(last) < start) return whole;
  if (start >= size) return "unsatisfiable";
  return { start, end: last === "" ? size : Math.min(size, Number(last) + 1), partial: true };
}
