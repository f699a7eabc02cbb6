import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream as WebStream } from "node:stream/web";

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
  /** Sent as it is. */
  bytes?: Uint8Array<ArrayBuffer> | Blob;
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

/** Speaks HTTP to the service below `/api/v1` with a bearer JWT, and sorts answers into good, refused and unreachable. */
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
    return this.#send(method, path, options, async (response) => {
      const text = await response.text();
      return {
        status: response.status,
        retryAfterMs: retryAfter(response),
        body: text === "" ? null : JSON.parse(text),
      };
    });
  }

  /** GETs raw bytes into `file`. @throws ServiceRefused, also when it is longer than `maxBytes`; ServiceUnreachable */
  async download(path: string, file: string, maxBytes: number, options: CallOptions): Promise<Downloaded> {
    return this.#send("GET", path, options, async (response) => {
      const hash = createHash("sha256");
      let bytes = 0;
      const measure = new Transform({
        transform(part: Buffer, _encoding, done) {
          bytes += part.length;
          hash.update(part);
          const tooLong = bytes > maxBytes;
          done(tooLong ? new ServiceRefused(`GET ${path}`, 413, null, `longer than ${maxBytes} bytes`) : null, part);
        },
      });
      const body = Readable.fromWeb((response.body ?? new Blob([]).stream()) as WebStream);
      await pipeline(body, measure, createWriteStream(file, { mode: 0o600 }));
      return { bytes, sha256: hash.digest("hex") };
    });
  }

  async #send<T>(
    method: string,
    path: string,
    options: CallOptions,
    read: (response: Response) => Promise<T>,
  ): Promise<T> {
    const call = `${method} ${path.split("?")[0]}`;
    const token = await this.#token();
    const headers: Record<string, string> = { ...this.#more(), authorization: `Bearer ${token}` };
    const json = options.json === undefined ? undefined : JSON.stringify(options.json);
    if (json !== undefined) headers["content-type"] = "application/json";
    else if (options.bytes !== undefined) headers["content-type"] = "application/octet-stream";
    const timeout = AbortSignal.timeout(options.timeoutMs);
    const signal = options.signal === undefined ? timeout : AbortSignal.any([timeout, options.signal]);
    const body = json ?? options.bytes ?? null;
    try {
      const response = await fetch(`${this.#baseUrl}/api/v1/${path}`, {
        method,
        headers,
        body,
        signal,
        redirect: "error",
      });
      if (response.ok) return await read(response);
      throw await refusal(call, response);
    } catch (error) {
      if (error instanceof ServiceRefused || error instanceof ServiceUnreachable) throw error;
      throw new ServiceUnreachable(call, reasonOf(error));
    }
  }
}

async function refusal(call: string, response: Response): Promise<Error> {
  const text = (await response.text()).slice(0, 10_000);
  let problem: { code?: unknown; detail?: unknown } = {};
  try {
    problem = JSON.parse(text) ?? {};
  } catch {
    // A proxy's HTML page: the status alone has to do.
  }
  const code = typeof problem.code === "string" ? problem.code : null;
  if (response.status === 429 || response.status >= 500) {
    return new ServiceUnreachable(call, `status ${response.status}`, retryAfter(response), code);
  }
  return new ServiceRefused(call, response.status, code, typeof problem.detail === "string" ? problem.detail : "");
}

function retryAfter(response: Response): number | null {
  const header = response.headers.get("retry-after");
  if (header === null) return null;
  const ms = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : null;
}

/** fetch hides what went wrong in a chain of causes; the innermost one is what an operator can act on. */
function reasonOf(error: unknown): string {
  let cause: unknown = error;
  while (cause instanceof Error && cause.cause instanceof Error) cause = cause.cause;
  const code = (cause as { code?: unknown }).code;
  if (typeof code === "string" && code !== "") return code;
  return cause instanceof Error ? cause.message : String(cause);
}
