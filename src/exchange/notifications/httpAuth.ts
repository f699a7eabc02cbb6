/** The address that an integration posts to, and what it proves itself with there. */
import * as v from "valibot";
import { signingKey } from "../../platform/crypto/signingKey.ts";
import { mapOf } from "../../platform/json/mapOf.ts";
import { keptSecret, present } from "../sealedIntegration/sealedAuth.ts";

const MAX_HEADERS = 20;

/** Ours, or of the connection itself. Names are compared in lower case. */
const RESERVED_HEADERS = new Set([
  "accept-encoding",
  "connection",
  "content-encoding",
  "content-length",
  "content-type",
  "date",
  "expect",
  "host",
  "http2-settings",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "user-agent",
]);
const RESERVED_PREFIXES = ["x-svc-", "webhook-", "proxy-", "sec-"];

const TargetUrl = v.pipe(
  v.string(),
  v.maxLength(2_048),
  v.metadata({ format: "uri", pattern: "^https?://[^/@]+" }),
  v.check(isTarget, "expected an http or https address without user name, password, blanks and control characters"),
);
const Secret = v.pipe(
  v.string(),
  v.minLength(1),
  v.maxLength(500),
  v.check((secret) => signingKey(secret) !== null, "begins with whsec_, and what follows is no key in base64"),
);
// Checked as one, so that no answer about them names a header: what is in them is secret from beginning to end.
const Headers = v.pipe(
  mapOf(v.string(), v.string()),
  v.check(
    (headers) => Object.keys(headers).length <= MAX_HEADERS && Object.entries(headers).every(isHeader),
    `expected at most ${MAX_HEADERS} headers with valid names and printable values`,
  ),
  v.check(
    (headers) => !Object.keys(headers).some(isReserved),
    "must not set what the service sets itself: Content-Type, User-Agent, Host, X-Svc-* and headers of the connection",
  ),
  v.check(
    (headers) => new Set(Object.keys(headers).map((name) => name.toLowerCase())).size === Object.keys(headers).length,
    "must not name a header twice",
  ),
);

/** On the wire. Of what is left out, `mergeHttpAuth` keeps what may be kept; `null` removes it. */
export const HttpAuthBody = v.strictObject({
  url: TargetUrl,
  secret: v.optional(v.nullable(Secret)),
  headers: v.optional(v.nullable(Headers)),
});
export type HttpAuthBody = v.InferOutput<typeof HttpAuthBody>;

/** As stored, sealed. */
export type HttpAuth = { url: string; secret?: string; headers?: Record<string, string> };

function isTarget(text: string): boolean {
  const url = URL.parse(text);
  // An address would lose line ends and blanks without a word, and get a host out of `http:///host`.
  if (url === null || !/^https?:\/\/[^\s/\\\p{Cc}][^\s\\\p{Cc}]*$/iu.test(text)) return false;
  return url.username === "" && url.password === "";
}

function isHeader([name, value]: [string, string]): boolean {
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/.test(name) && /^[\x20-\x7e\t]{0,4096}$/.test(value);
}

function isReserved(name: string): boolean {
  // Many a server reads `X_Svc_Event` and `X-Svc-Event` as one (RFC 3875, 4.1.18).
  const lower = name.toLowerCase().replaceAll("_", "-");
  return RESERVED_HEADERS.has(lower) || RESERVED_PREFIXES.some((prefix) => lower.startsWith(prefix));
}

/**
 * What a write makes of what is stored. A secret and headers that are not sent stay with their target; they never
 * follow it to another host, where whoever may change an integration but not read it could collect them.
 */
export function mergeHttpAuth(stored: HttpAuth | null, sent: HttpAuthBody): HttpAuth {
  const kept = stored !== null && originOf(stored.url) === originOf(sent.url) ? stored : null;
  const secret = keptSecret(sent.secret, kept?.secret);
  const headers = keptSecret(sent.headers, kept?.headers);
  return { url: sent.url, ...present({ secret, headers }) };
}

/** Scheme, host and port. */
function originOf(url: string): string {
  return new URL(url).origin;
}

export type HttpPart = "host" | "url" | "secret" | "headers";

/** What a change is told of; `host` besides `url` when it leads to another scheme, host or port. */
export const HTTP_PARTS: readonly [HttpPart, (auth: HttpAuth) => unknown][] = [
  ["host", ({ url }) => originOf(url)],
  ["url", ({ url }) => url],
  ["secret", ({ secret }) => secret],
  ["headers", ({ headers = {} }) => Object.entries(headers).sort()],
];
