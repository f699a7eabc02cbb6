/**
 * Where an integration sends and what it proves itself with: one envelope, write-only, encrypted at rest
 * (docs/rules/notifications.md#secrets-of-an-integration).
 */
import * as v from "valibot";
import { mapOf } from "../../http/textFields.ts";
import type { Keyring } from "../../platform/crypto/keyring.ts";
import type { NotificationAuthSummary } from "./schema.ts";

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
const RESERVED_PREFIXES = ["x-svc-", "proxy-", "sec-"];

const TargetUrl = v.pipe(
  v.string(),
  v.maxLength(2_048),
  v.check(isTarget, "expected an http or https address without user name, password, blanks and control characters"),
);
const Secret = v.pipe(v.string(), v.minLength(1), v.maxLength(500));
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

/** On the wire. Of what is left out, `mergeAuth` keeps what may be kept; `null` removes it. */
export const AuthConfigBody = v.strictObject({
  url: TargetUrl,
  secret: v.optional(v.nullable(Secret)),
  headers: v.optional(v.nullable(Headers)),
});
export type AuthConfigBody = v.InferOutput<typeof AuthConfigBody>;

/** As stored, sealed. */
export type AuthConfig = { url: string; secret?: string; headers?: Record<string, string> };

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
 * What a write makes of what is stored. A secret and headers that are not sent stay with their target; they never follow it to
 * another host, where whoever may change an integration but not read it could collect them.
 */
export function mergeAuth(stored: AuthConfig | null, sent: AuthConfigBody): AuthConfig {
  const kept = stored !== null && originOf(stored.url) === originOf(sent.url) ? stored : null;
  const secret = sent.secret === undefined ? kept?.secret : (sent.secret ?? undefined);
  const headers = sent.headers === undefined ? kept?.headers : (sent.headers ?? undefined);
  return { url: sent.url, ...(secret !== undefined && { secret }), ...(headers !== undefined && { headers }) };
}

/** Scheme, host and port. */
export function originOf(url: string): string {
  return new URL(url).origin;
}

export function summaryOf({ secret, headers = {} }: AuthConfig): NotificationAuthSummary {
  return { has_secret: secret !== undefined, header_count: Object.keys(headers).length };
}

const placeOf = (id: string) => ({ table: "notification_integrations", column: "auth_config", rowId: id });

export function sealAuth(keyring: Pick<Keyring, "seal">, id: string, auth: AuthConfig): Promise<Buffer> {
  return keyring.seal(Buffer.from(JSON.stringify(auth)), placeOf(id));
}

/** @throws DecryptionError */
export async function openAuth(keyring: Pick<Keyring, "open">, id: string, sealed: Buffer): Promise<AuthConfig> {
  return JSON.parse((await keyring.open(sealed, placeOf(id))).toString("utf8")) as AuthConfig;
}
