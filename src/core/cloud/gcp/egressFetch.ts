/** Lets Google's library send through the one egress client (docs/rules/secrets.md#outbound-calls). */
import type { Egress } from "../../../platform/egress/egress.ts";

/** One attempt's cap; the library repeats what broke off. */
const TIMEOUT_MS = 5_000;
const MAX_ANSWER_BYTES = 262_144;

export function egressFetch(egress: Pick<Egress, "request">): typeof fetch {
  return async (input, init = {}) => {
    const { status, headers, body } = await egress.request({
      url: String(input instanceof Request ? input.url : input),
      method: (init.method ?? "GET") as "GET" | "POST",
      headers: Object.fromEntries(new Headers(init.headers)),
      ...(init.body === undefined || init.body === null ? {} : { body: bytesOf(init.body) }),
      timeoutMs: TIMEOUT_MS,
      maxAnswerBytes: MAX_ANSWER_BYTES,
      ...(init.signal ? { signal: init.signal } : {}),
    });
    const decoded = Object.entries(headers).filter(([name]) => !["content-encoding", "content-length"].includes(name));
    const empty = status === 204 || status === 304;
    return new Response(empty ? null : new Uint8Array(body), { status, headers: decoded });
  };
}

function bytesOf(body: unknown): string | Buffer {
  if (typeof body === "string") return body;
  if (body instanceof URLSearchParams) return body.toString();
  if (body instanceof Uint8Array) return Buffer.from(body);
  throw new TypeError("this kind of body is not sent to a cloud");
}
