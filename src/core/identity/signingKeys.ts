/**
 * The keys that sign the identities of runs (docs/rules/identity.md#keys-overlap). Whoever finds none makes the first;
 * housekeeping makes the others ahead of time.
 */
import type { webcrypto } from "node:crypto";
import { importPKCS8, type JWK } from "jose";
import type { LRUCache } from "lru-cache";
import { readCache } from "../../platform/cache/readCache.ts";
import type { Keyring } from "../../platform/crypto/keyring.ts";
import type { Db } from "../../platform/db/client.ts";
import { type KeyRow, placeOf, readKeys } from "./keyRows.ts";
import { signerOf } from "./keySchedule.ts";
import { rotateKeys } from "./rotateKeys.ts";

export const ALGORITHM = "RS256";
/** The signer, and the one before it while they change. */
const KEYS_IN_MEMORY = 4;

type Deps = { db: Db; keyring: Pick<Keyring, "seal" | "open"> };
type Found = { nowMs: number; keys: KeyRow[]; signer: KeyRow };

export class SigningKeys {
  readonly #deps: Deps;
  readonly #imported: LRUCache<string, webcrypto.CryptoKey, KeyRow>;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#imported = readCache<string, webcrypto.CryptoKey, KeyRow>(
      async (id, { private_key }) => {
        const pem = await deps.keyring.open(private_key, placeOf(id));
        return importPKCS8(pem.toString("utf8"), ALGORITHM);
      },
      { max: KEYS_IN_MEMORY },
    );
  }

  /** The key that signs by the database's clock. @throws DecryptionError, KeyServiceUnavailableError */
  async signer(): Promise<{ kid: string; key: webcrypto.CryptoKey; nowMs: number }> {
    const { signer, nowMs } = await this.#find();
    return { kid: signer.id, key: await this.#imported.forceFetch(signer.id, { context: signer }), nowMs };
  }

  /** What verifiers are told: nothing before there is a key. */
  async published(): Promise<JWK[]> {
    const { keys } = await readKeys(this.#deps.db);
    return keys.map(({ id, public_jwk }) => ({ ...public_jwk, kid: id, use: "sig", alg: ALGORITHM }));
  }

  async #find(): Promise<Found> {
    const found = await this.#read();
    if (found !== null) return found;
    await rotateKeys(this.#deps, Number.POSITIVE_INFINITY);
    const made = await this.#read();
    if (made === null) throw new Error("no key signs identities");
    return made;
  }

  async #read(): Promise<Found | null> {
    const { nowMs, keys } = await readKeys(this.#deps.db);
    const signer = signerOf(keys, nowMs);
    return signer && { nowMs, keys, signer };
  }
}
