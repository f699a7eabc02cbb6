/** How the text of an environment variable becomes a value. Messages never repeat the text. */
import ipaddr from "ipaddr.js";
import * as v from "valibot";
import { durationToMs } from "../time/durations.ts";
import { withoutEndSlash } from "./endSlash.ts";

/** A range the operator opened: base address, prefix length, and the one port it opens (absent: every port). */
export interface OpenedRange {
  address: ipaddr.IPv4 | ipaddr.IPv6;
  prefix: number;
  port: number | undefined;
}

export function text(pattern: RegExp, expected: string) {
  return v.pipe(v.string(), v.regex(pattern, `expected ${expected}`));
}

export function integer(min: number, max: number) {
  return v.pipe(
    v.string(),
    v.regex(/^\d{1,15}$/, `expected a whole number from ${min} to ${max}`),
    v.transform(Number),
    v.check((value) => value >= min && value <= max, `expected a whole number from ${min} to ${max}`),
  );
}

/** A part of a whole, as a decimal. */
export const ratio = v.pipe(
  v.string(),
  v.regex(/^(?:0(?:\.\d{1,6})?|1(?:\.0{1,6})?)$/, "expected a number from 0 to 1"),
  v.transform(Number),
);

export const port = integer(1, 65_535);

export const duration = v.pipe(
  v.string(),
  v.check((value) => (durationToMs(value) ?? 0) > 0, "expected an ISO 8601 duration above zero"),
  v.transform((value) => durationToMs(value) ?? 0),
);

/** At most `max` durations in milliseconds, comma-separated. */
export function durations(max: number) {
  const expected = `expected 1 to ${max} ISO 8601 durations above zero, comma-separated`;
  return v.pipe(
    v.string(),
    v.transform((value) => splitList(value).map((part) => durationToMs(part) ?? 0)),
    v.check((list) => list.length > 0 && list.length <= max && list.every((ms) => ms > 0), expected),
  );
}

/** A duration of at least so many hours. */
export function hours(min: number) {
  return v.pipe(
    duration,
    v.check((ms) => ms >= min * 3_600_000, `expected an ISO 8601 duration of at least ${min} h`),
  );
}

/** A duration within bounds, in milliseconds. */
export function between(minMs: number, maxMs: number) {
  const expected = `expected an ISO 8601 duration from ${minMs / 1_000} s to ${maxMs / 1_000} s`;
  return v.pipe(
    duration,
    v.check((ms) => ms >= minMs && ms <= maxMs, expected),
  );
}

const KMS_KEY_ARN = /^arn:aws[a-z-]{0,20}:kms:[a-z0-9-]{1,50}:\d{12}:key\/[A-Za-z0-9-]{1,100}$/;

/** A KMS key by its ARN: aliases can be pointed elsewhere, and then what was encrypted would not be found. */
export const kmsKeyArn = text(KMS_KEY_ARN, "the ARN of a KMS key, not of an alias");

export const arns = v.pipe(
  v.string(),
  v.transform(splitList),
  v.check((list) => list.every((arn) => KMS_KEY_ARN.test(arn)), "expected ARNs of KMS keys, comma-separated"),
);

/** A URL of one of the given schemes, kept as text. */
export function serviceUrl(schemes: readonly string[]) {
  const expected = `expected a URL that starts with ${schemes.map((scheme) => `${scheme}//`).join(" or ")}`;
  return v.pipe(
    v.string(),
    v.check((value) => {
      const url = URL.parse(value);
      return url !== null && schemes.includes(url.protocol) && value.startsWith(`${url.protocol}//`);
    }, expected),
  );
}

/** A web address to which paths are added. */
export const baseUrl = v.pipe(serviceUrl(["https:", "http:"]), v.transform(withoutEndSlash));

/** `host:port` or `[v6]:port`; port 0 means any free one, and a `?` behind a port: any free one where it is taken. */
export const listen = v.pipe(
  v.string(),
  v.regex(/^(?:[^\s:[\]/]+|\[[0-9a-fA-F:.]+\]):\d{1,5}\??$/, "expected host:port"),
  v.transform((value) => {
    const colon = value.lastIndexOf(":");
    const host = value.slice(0, colon).replace(/^\[|\]$/g, "");
    const orFree = value.endsWith("?");
    return { host, port: Number(value.slice(colon + 1).replace("?", "")), ...(orFree && { orFree }) };
  }),
  v.check((value) => value.port <= 65_535, "expected a port up to 65535"),
);

/** Some words of a closed list, none twice, comma-separated; `none` for none of them. */
export function someOf<const W extends string>(allowed: readonly W[]) {
  const isWord = (word: string): word is W => (allowed as readonly string[]).includes(word);
  return v.pipe(
    v.string(),
    v.transform((value) => (value.trim() === "none" ? [] : [...new Set(splitList(value))])),
    v.check((list) => list.every(isWord), `expected ${allowed.join(", ")}, comma-separated, or none`),
    v.transform((list) => list.filter(isWord)),
  );
}

/** Words of a closed list (any word when null), joined by `separator`. */
export function words(allowed: readonly string[] | null, separator: string) {
  const expected = allowed === null ? `a list joined by ${separator}` : `${allowed.join(", ")} joined by ${separator}`;
  return v.pipe(
    v.string(),
    v.transform((value) => value.split(separator).map((word) => word.trim())),
    v.check((list) => list.every((word) => word !== "" && (allowed?.includes(word) ?? true)), `expected ${expected}`),
  );
}

/** Base64 of exactly `length` bytes. */
export function bytesKey(length: number) {
  return v.pipe(
    v.string(),
    v.transform((value) => decodeKey(value.trim(), length)),
    v.check((key) => key !== null, `expected base64 of ${length} bytes`),
    v.transform((key) => key ?? Buffer.alloc(0)),
  );
}

export function byteKeys(length: number) {
  return v.pipe(
    v.string(),
    v.transform((value) => splitList(value).map((part) => decodeKey(part, length))),
    v.check((keys) => !keys.includes(null), `expected base64 of ${length} bytes, comma-separated`),
    v.transform((keys) => keys.filter((key) => key !== null)),
  );
}

/** Addresses and CIDR ranges, comma-separated, each optionally with `:port` (v6 then in brackets). */
export const cidrs = v.pipe(
  v.string(),
  v.transform((value) => splitList(value).map(openedRange)),
  v.check((ranges) => !ranges.includes(null), "expected addresses or CIDR ranges, comma-separated"),
  v.transform((ranges) => ranges.filter((range) => range !== null)),
);

function openedRange(entry: string): OpenedRange | null {
  const match = /^(?:\[(?<v6>[^\]]+)\]|(?<plain>.+?))(?::(?<port>\d{1,5}))?$/.exec(
    // A bare v6 address is full of colons; without brackets none of them introduces a port.
    !entry.startsWith("[") && entry.split(":").length > 2 ? `[${entry}]` : entry,
  );
  const range = match?.groups?.v6 ?? match?.groups?.plain ?? "";
  const portNumber = match?.groups?.port === undefined ? undefined : Number(match.groups.port);
  if (portNumber !== undefined && (portNumber < 1 || portNumber > 65_535)) return null;
  try {
    const [address, prefix] = range.includes("/")
      ? ipaddr.parseCIDR(range)
      : ([ipaddr.parse(range), undefined] as const);
    if (address.kind() === "ipv4" && !ipaddr.IPv4.isValidFourPartDecimal(range.split("/")[0] ?? "")) return null;
    return { address, prefix: prefix ?? (address.kind() === "ipv4" ? 32 : 128), port: portNumber };
  } catch {
    return null;
  }
}

function decodeKey(base64: string, length: number): Buffer | null {
  const bytes = Buffer.from(base64, "base64");
  // Node skips what is not base64; writing it back shows whether anything was skipped.
  return bytes.length === length && bytes.toString("base64") === base64 ? bytes : null;
}

function splitList(value: string): string[] {
  return value
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

/** A switch. */
export const onOff = v.pipe(
  v.picklist(["on", "off"]),
  v.transform((word) => word === "on"),
);
