/**
 * A runner group's ECDSA P-256 key pair: made once, the public half stored, and cached where tokens are checked
 * (docs/rules/runner-protocol.md#tokens).
 */
import { createHash, createPublicKey, generateKeyPairSync } from "node:crypto";
import { sql } from "drizzle-orm";
import { type CryptoKey, importSPKI } from "jose";
import { LRUCache } from "lru-cache";
import type { FailureLimit } from "../../http/failureLimit.ts";
import type { Db } from "../../platform/db/client.ts";

export type GroupKeyPair = {
  /** PKCS #8; goes into the answer that created or rotated it and nowhere else. */
  privateKeyPem: string;
  publicKeyPem: string;
  /** Stored beside the public key; tells one key from the next. */
  fingerprint: string;
};

export function generateGroupKeyPair(): GroupKeyPair {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const publicKeyPem = publicKey.export({ type: "spki", format: "pem" }) as string;
  return {
    privateKeyPem: privateKey.export({ type: "pkcs8", format: "pem" }) as string,
    publicKeyPem,
    fingerprint: fingerprintOf(publicKeyPem),
  };
}

/** Hex SHA-256 of the key's DER form. @throws when the text is no public key. */
export function fingerprintOf(publicKeyPem: string): string {
  const der = createPublicKey(publicKeyPem).export({ type: "spki", format: "der" });
  return createHash("sha256").update(der).digest("hex");
}

export type GroupKey = { key: CryptoKey; fingerprint: string };

/** A group that lost its place comes back with one statement. */
const KEPT_KEYS = 5_000;
/** An id is never given twice, and is told to nobody before its group is there. */
const UNKNOWN_MS = 300_000;
const KEPT_UNKNOWN = 10_000;

/**
 * Imported public keys of this process: an import costs more than a check. An entry is never trusted by age: the first
 * statement of each runner request compares its fingerprint with the group's row, so a rotation holds at once
 * everywhere.
 */
export class GroupKeys {
  readonly #db: Db;
  readonly #limit: FailureLimit;
  readonly #cached = new LRUCache<string, GroupKey>({ max: KEPT_KEYS });
  readonly #unknown = new LRUCache<string, true>({ max: KEPT_UNKNOWN, ttl: UNKNOWN_MS });

  constructor(db: Db, limit: FailureLimit) {
    this.#db = db;
    this.#limit = limit;
  }

  /** From the cache, or null. */
  cached(groupId: string): GroupKey | null {
    return this.#cached.get(groupId) ?? null;
  }

  /**
   * From the database, one statement. Null when there is no such group or its key is unusable. `address` is whose token
   * names it: who names many that there are not is refused without a statement, and so is who signs wrongly for one.
   * @throws TooManyRequestsError
   */
  async load(groupId: string, address: string): Promise<GroupKey | null> {
    if (this.#unknown.has(groupId)) return null;
    const isKnown = this.#cached.has(groupId);
    this.#limit.check(isKnown ? `${address} ${groupId}` : address);
    const [row] = await this.#db.execute<{ public_key_pem: string; public_key_fingerprint: string }>(
      sql`select public_key_pem, public_key_fingerprint from runner_groups where id = ${groupId}`,
    );
    const key = row === undefined ? null : await importP256(row.public_key_pem);
    if (row === undefined || key === null) {
      this.#cached.delete(groupId);
      if (row === undefined) this.#unknown.set(groupId, true);
      this.#limit.failed(address);
      return null;
    }
    const entry = { key, fingerprint: row.public_key_fingerprint };
    this.#cached.set(groupId, entry);
    return entry;
  }

  /** What was just read of the group does not verify the token either. */
  inVain(groupId: string, address: string): void {
    this.#limit.failed(`${address} ${groupId}`);
  }
}

/** Null for any other curve or kind of key: it can check no ES256 signature. */
async function importP256(publicKeyPem: string): Promise<CryptoKey | null> {
  try {
    return await importSPKI(publicKeyPem, "ES256");
  } catch {
    return null;
  }
}
