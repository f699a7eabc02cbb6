/**
 * Answers of some size are compressed as the client can read them, and one that will never change is not sent again to
 * who has it (docs/rules/api.md#compression-and-etags). Only where no secret and nothing of the request's own stands
 * beside each other in a body: its length would tell of both.
 */
import { pipeline, Readable } from "node:stream";
import { constants, createBrotliCompress, createGzip, createZstdCompress } from "node:zlib";
import type { Context, MiddlewareHandler } from "hono";

const ENCODERS = {
  zstd: () => createZstdCompress(),
  br: () => createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: () => createGzip(),
};
type Encoding = keyof typeof ENCODERS;

/** What is shorter fits into one packet as it is. */
const MIN_BYTES = 1_024;
const COMPRESSIBLE = /^(?:application\/(?:json|x-ndjson)|text\/plain|text\/html)\b/;

/** For the paths that `served` names. */
export function compression(served: RegExp): MiddlewareHandler {
  return async (c, next) => {
    await next();
    const { res } = c;
    if (c.req.method !== "GET" || !served.test(c.req.path) || res.status !== 200) return;
    const etag = res.headers.get("etag");
    const compressible = COMPRESSIBLE.test(res.headers.get("content-type") ?? "");
    const encoding = compressible ? preferred(c.req.header("accept-encoding")) : null;
    if (compressible) res.headers.append("vary", "accept-encoding");
    if (etag !== null) {
      // To be asked for each time, since who may read it changes.
      res.headers.set("cache-control", "private, no-cache");
      if (isKnown(c.req.header("if-none-match"), etag)) {
        await res.body?.cancel();
        answerWith(c, new Response(null, { status: 304, headers: kept(res.headers) }));
        return;
      }
    }
    const length = res.headers.get("content-length");
    if (encoding === null || res.body === null || (length !== null && Number(length) < MIN_BYTES)) return;
    const encoded = ENCODERS[encoding]();
    // Who leaves in the middle ends both. `compose` would throw that where nobody can catch it.
    pipeline(Readable.fromWeb(res.body as never), encoded, () => {});
    const headers = new Headers(res.headers);
    headers.delete("content-length");
    headers.delete("accept-ranges");
    headers.set("content-encoding", encoding);
    // Other bytes are another representation, and a strong tag is of bytes.
    if (etag !== null) headers.set("etag", etag.replace(/"$/, `.${encoding}"`));
    answerWith(c, new Response(Readable.toWeb(encoded) as unknown as ReadableStream, { status: 200, headers }));
  };
}

/** An answer that replaces another would get the headers of that one back. */
function answerWith(c: Context, answer: Response): void {
  c.res = undefined;
  c.res = answer;
}

/** The best of what the client takes; null for as it is. Pure. */
export function preferred(accepted: string | undefined): Encoding | null;
export function preferred<E extends Encoding>(accepted: string | undefined, offered: readonly E[]): E | null;
export function preferred(
  accepted: string | undefined,
  offered: readonly Encoding[] = Object.keys(ENCODERS) as Encoding[],
): Encoding | null {
  const weights = new Map(
    (accepted ?? "").split(",").map((part) => {
      const [name = "", ...parameters] = part.split(";").map((text) => text.trim().toLowerCase());
      const q = parameters.find((parameter) => parameter.startsWith("q="));
      return [name, q === undefined ? 1 : Number(q.slice(2)) || 0] as const;
    }),
  );
  const weight = (name: Encoding) => weights.get(name) ?? weights.get("*") ?? 0;
  const names = offered.filter((name) => weight(name) > 0);
  return names.sort((a, b) => weight(b) - weight(a))[0] ?? null;
}

/** Whether the client has it, in whatever encoding. */
function isKnown(ifNoneMatch: string | undefined, etag: string): boolean {
  const tags = (ifNoneMatch ?? "").split(",").map((tag) => tag.trim().replace(/\.(?:zstd|br|gzip)"$/, '"'));
  return tags.includes(etag);
}

function kept(headers: Headers): Headers {
  return new Headers([...headers].filter(([name]) => !name.startsWith("content-") && name !== "accept-ranges"));
}
