/**
 * Tokens of people, of service accounts, and of runs for their states: a prefix, 160 random bits in base62 and a CRC32,
 * so that a mistyped or truncated one is refused without a query and secret scanners can tell a real one from noise.
 */
import { createHash, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";

const TOKEN_PREFIXES = { service_account: "svc_sa_", personal: "svc_pat_", run_state: "svc_rs_" } as const;
export type TokenKind = keyof typeof TOKEN_PREFIXES;

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const RANDOM_BYTES = 20;
/** Base62 digits that hold 160 and 32 bits; the width is fixed, so that every token of a kind has one length. */
const RANDOM_WIDTH = 27;
const CHECKSUM_WIDTH = 6;

/** A fresh token. Whoever calls shows it once and stores only `tokenHash` of it. */
export function makeToken(kind: TokenKind): string {
  const body = TOKEN_PREFIXES[kind] + base62(BigInt(`0x${randomBytes(RANDOM_BYTES).toString("hex")}`), RANDOM_WIDTH);
  return body + checksum(body);
}

/** The kind of a well-formed token, or null for any other text. */
export function tokenKind(text: string): TokenKind | null {
  for (const kind of Object.keys(TOKEN_PREFIXES) as TokenKind[]) {
    const prefix = TOKEN_PREFIXES[kind];
    if (!text.startsWith(prefix)) continue;
    const rest = text.slice(prefix.length);
    if (rest.length !== RANDOM_WIDTH + CHECKSUM_WIDTH || !/^[0-9A-Za-z]+$/.test(rest)) return null;
    return checksum(text.slice(0, -CHECKSUM_WIDTH)) === text.slice(-CHECKSUM_WIDTH) ? kind : null;
  }
  return null;
}

/** What is stored: SHA-256 of the whole token. A slow hash would add nothing to 160 random bits. */
export function tokenHash(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

function checksum(body: string): string {
  return base62(BigInt(crc32(body)), CHECKSUM_WIDTH);
}

function base62(value: bigint, width: number): string {
  let digits = "";
  for (let rest = value; digits.length < width; rest /= 62n) digits = ALPHABET[Number(rest % 62n)] + digits;
  return digits;
}
