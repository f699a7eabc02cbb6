import { createCipheriv, createDecipheriv, createHash } from "node:crypto";
import { type Config, ConfigError } from "../config.ts";
import { DecryptionError, openEnvelope, type Place, sealEnvelope } from "./envelope.ts";
import { openFrames, sealFrames } from "./sealedStream.ts";

/**
 * Turns a fresh data key into bytes that may be stored, and back. Asynchronous because a cloud key service does this
 * over the network; the key id travels in the envelope so that keys can be rotated without rewriting rows.
 */
export interface KeyWrapper {
  wrap(dataKey: Buffer): Promise<{ keyId: Buffer; wrapped: Buffer }>;
  /** @throws DecryptionError when the key id is unknown or the bytes were not wrapped by it. */
  unwrap(keyId: Buffer, wrapped: Buffer): Promise<Buffer>;
}

/** A step between two streams, as `pipeline` and `Readable.from` take it. */
export type ByteStep = (source: AsyncIterable<Uint8Array>) => AsyncGenerator<Buffer, void>;

/** Encryption at rest (spec 5.3). What was sealed for one place opens only at that place. */
export interface Keyring {
  seal(plaintext: Buffer, place: Place): Promise<Buffer>;
  /** @throws DecryptionError for an unknown key, changed bytes or another place; it does not say which. */
  open(envelope: Buffer, place: Place): Promise<Buffer>;
  /** For bytes too large to hold: memory stays at a few frames of 1 MiB. */
  sealStream(place: Place): ByteStep;
  /** Every frame is checked before its bytes come out; a cut stream ends in DecryptionError, after a true prefix. */
  openStream(place: Place): ByteStep;
}

/** RFC 3394's initial value. Key wrap needs no nonce, so one key may wrap any number of data keys. */
const WRAP_IV = Buffer.alloc(8, 0xa6);
const KEY_BYTES = 32;

interface Key {
  id: Buffer;
  secret: Buffer;
}

/**
 * The keyring of the configured provider: the current key seals, the previous ones only open.
 * @throws ConfigError when a key has the wrong length or is listed twice as current and previous.
 */
export function createKeyring(encryption: Config["encryption"]): Keyring {
  return keyringOver(aes256Wrapper(encryption.key, encryption.previousKeys));
}

/** A keyring over any way of wrapping data keys. */
function keyringOver(keys: KeyWrapper): Keyring {
  return {
    seal: (plaintext, place) => sealEnvelope(keys, plaintext, place),
    open: (envelope, place) => openEnvelope(keys, envelope, place),
    sealStream: (place) => (source) => sealFrames(keys, place, source),
    openStream: (place) => (source) => openFrames(keys, place, source),
  };
}

function aes256Wrapper(current: Buffer, previous: readonly Buffer[]): KeyWrapper {
  const keys = [current, ...previous].map(keyOf);
  const sealing = keys[0] as Key;
  if (new Set(keys.map((key) => key.id.toString("hex"))).size !== keys.length) {
    throw new ConfigError(
      "SVC_DATA_ENCRYPTION_PREVIOUS_KEYS repeats a key; for example list only the keys used before SVC_DATA_ENCRYPTION_KEY",
    );
  }
  return {
    wrap: async (dataKey) => {
      const cipher = createCipheriv("id-aes256-wrap", sealing.secret, WRAP_IV);
      return { keyId: sealing.id, wrapped: Buffer.concat([cipher.update(dataKey), cipher.final()]) };
    },
    unwrap: async (keyId, wrapped) => {
      const key = keys.find((candidate) => candidate.id.equals(keyId));
      if (key === undefined) throw new DecryptionError();
      try {
        const decipher = createDecipheriv("id-aes256-wrap", key.secret, WRAP_IV);
        return Buffer.concat([decipher.update(wrapped), decipher.final()]);
      } catch {
        throw new DecryptionError();
      }
    },
  };
}

/** A key names itself by its fingerprint, so that an operator has no ids to keep in step with keys. */
function keyOf(secret: Buffer): Key {
  if (secret.length !== KEY_BYTES) {
    throw new ConfigError("SVC_DATA_ENCRYPTION_KEY is malformed: expected base64; for example openssl rand -base64 32");
  }
  const id = createHash("sha256").update("data-encryption-key-id\0").update(secret).digest().subarray(0, 8);
  return { id, secret };
}
