import { createWriteStream } from "node:fs";
import type { IncomingMessage } from "node:http";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { exchange, type HttpBody, textOf } from "./httpExchange.ts";

/** The service answered and said no: 4xx except 429. Asking again would not help, save for 401 during a rotation. */
export class ServiceRefused extends Error {
  override name = "ServiceRefused";
  readonly status: number;
  /** The problem's machine code, null when it has none. */
  readonly code: string | null;

  constructor(call: string, status: number, code: string | null, detail: string) {
    super(`${call}: ${status}${code === null ? "" : ` ${code}`}${detail === "" ? "" : `: ${detail}`}`);
    this.status = status;
    this.code = code;
  }
}

/** No usable answer: network error, time-out, 429 or 5xx. Whether the call took effect is unknown. */
export class ServiceUnreachable extends Error {
  override name = "ServiceUnreachable";
  /** What the service asked us to wait, in milliseconds; null when it did not say. */
  readonly retryAfterMs: number | null;
  /** The problem's machine code, when the service itself answered with one. */
  readonly code: string | null;

  constructor(call: string, reason: string, retryAfterMs: number | null = null, code: string | null = null) {
    super(`${call}: ${reason}${code === null ? "" : ` ${code}`}`);
    this.retryAfterMs = retryAfterMs;
    this.code = code;
  }
}

export interface CallOptions {
  /** Sent as JSON. */
  json?: unknown;
  /** Sent as they are. */
  bytes?: Exclude<HttpBody, string>;
  timeoutMs: number;
  signal?: AbortSignal;
}

export interface Answer {
  status: number;
  retryAfterMs: number | null;
  body: unknown;
}

export interface Downloaded {
  bytes: number;
  sha256: string;
}

/**
 * Speaks HTTP to the service below `/api/v1` with a bearer JWT, and sorts answers into good, refused and unreachable.
 */
export class ServiceClient {
  readonly #baseUrl: string;
  readonly #token: () => Promise<string> | string;
  readonly #more: () => Record<string, string>;

  /** `more`: further headers of each call. */
  constructor(baseUrl: string, token: () => Promise<string> | string, more: () => Record<string, string> = () => ({})) {
    this.#baseUrl = baseUrl;
    this.#token = token;
    this.#more = more;
  }

  /** @throws ServiceRefused, ServiceUnreachable */
  async call(method: string, path: string, options: CallOptions): Promise<Answer> {
    return this.#send(method, path, options, async (answer) => {
      const text = await textOf(answer);
      return {
        status: statusOf(answer),
        retryAfterMs: retryAfter(answer),
        body: text === "" ? null : JSON.parse(text),
      };
    });
  }

  /** GETs raw bytes into `file`. @throws ServiceRefused, also when it is longer than `maxBytes`; ServiceUnreachable */
  async download(path: string, file: string, maxBytes: number, options: CallOptions): Promise<Downloaded> {
    return this.#send("GET", path, options, async (answer) => {
      // Loaded here: a plan of a commit downloads nothing.
      const hash = process.getBuiltinModule("node:crypto").createHash("sha256");
      let bytes = 0;
      const measure = new Transform({
        transform(part: Buffer, _encoding, done) {
          bytes += part.length;
          hash.update(part);
          const tooLong = bytes > maxBytes;
          done(tooLong ? new ServiceRefused(`GET ${path}`, 413, null, `longer than ${maxBytes} bytes`) : null, part);
        },
      });
      await pipeline(answer, measure, createWriteStream(file, { mode: 0o600 }));
      return { bytes, sha256: hash.digest("hex") };
    });
  }

  async #send<T>(
    method: string,
    path: string,
    options: CallOptions,
    read: (answer: IncomingMessage) => Promise<T>,
  ): Promise<T> {
    const call = `${method} ${path.split("?")[0]}`;
    const token = await this.#token();
    const headers: Record<string, string> = { ...this.#more(), authorization: `Bearer ${token}` };
    const json = options.json === undefined ? undefined : JSON.stringify(options.json);
    if (json !== undefined) headers["content-type"] = "application/json";
    else if (options.bytes !== undefined) headers["content-type"] = "application/octet-stream";
    const { timeoutMs, signal } = options;
    const url = `${this.#baseUrl}/api/v1/${path}`;
    const body = json ?? options.bytes ?? null;
    try {
      return await exchange({ method, url, headers, body, timeoutMs, signal }, async (answer) => {
        if (statusOf(answer) < 200 || statusOf(answer) > 299) throw await refusal(call, answer);
        return read(answer);
      });
    } catch (error) {
      if (error instanceof ServiceRefused || error instanceof ServiceUnreachable || isOfThisDisk(error)) throw error;
      throw new ServiceUnreachable(call, reasonOf(error));
    }
  }
}

/** The service did answer, and asking it again would meet the same disk. */
function isOfThisDisk(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code !== undefined && ["ENOSPC", "EDQUOT", "EFBIG", "EROFS", "ENAMETOOLONG"].includes(code);
}

function statusOf(answer: IncomingMessage): number {
  return answer.statusCode ?? 0;
}

/** A redirect is none: following one could take the token elsewhere. */
async function refusal(call: string, answer: IncomingMessage): Promise<Error> {
  const status = statusOf(answer);
  const text = (await textOf(answer)).slice(0, 10_000);
  let problem: { code?: unknown; detail?: unknown } = {};
  try {
    problem = JSON.parse(text) ?? {};
  } catch {
    // A proxy's HTML page: the status alone has to do.
  }
  const code = typeof problem.code === "string" ? problem.code : null;
  if (status < 400 || status === 429 || status >= 500) {
    return new ServiceUnreachable(call, `status ${status}`, retryAfter(answer), code);
  }
  return new ServiceRefused(call, status, code, typeof problem.detail === "string" ? problem.detail : "");
}

function retryAfter({ headers }: IncomingMessage): number | null {
  const header = headers["retry-after"];
  if (header === undefined) return null;
  const ms = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : null;
}

/** The innermost cause is what an operator can act on. */
function reasonOf(error: unknown): string {
  let cause: unknown = error;
  while (cause instanceof Error && cause.cause instanceof Error) cause = cause.cause;
  const code = (cause as { code?: unknown }).code;
  if (typeof code === "string" && code !== "") return code;
  return cause instanceof Error ? cause.message : String(cause);
}
