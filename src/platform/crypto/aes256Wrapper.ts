/** Data keys wrapped by keys that the operator holds (`aes-256`). */
import { createCipheriv, createDecipheriv, createHash } from "node:crypto";
import { ConfigError } from "../settings/setting.ts";
import type { KeyOpener } from "./wrapping.ts";
import { DecryptionError } from "./wrapping.ts";

/** RFC 3394's initial value. Key wrap needs no nonce, so one key may wrap any number of data keys. */
const WRAP_IV = Buffer.alloc(8, 0xa6);
const KEY_BYTES = 32;

/**
 * Wraps and opens with one key of 32 bytes; a key names itself by its fingerprint, so that an operator has no ids to
 * keep.
 */
export interface LocalKey extends KeyOpener {
  keyId: Buffer;
  wrap(dataKey: Buffer): Buffer;
  unwrap(wrapped: Buffer): Promise<Buffer>;
}

/** @throws ConfigError when the key has another length */
export function localKey(secret: Buffer): LocalKey {
  if (secret.length !== KEY_BYTES) {
    throw new ConfigError("SVC_DATA_ENCRYPTION_KEY is malformed: expected base64; for example openssl rand -base64 32");
  }
  const keyId = createHash("sha256").update("data-encryption-key-id\0").update(secret).digest().subarray(0, 8);
  return {
    keyId,
    wrap: (dataKey) => wrapKey(secret, dataKey),
    unwrap: async (wrapped) => unwrapKey(secret, wrapped),
  };
}

/** AES key wrap, which also tells whether the bytes were wrapped by this key. */
export function wrapKey(secret: Buffer, dataKey: Buffer): Buffer {
  const cipher = createCipheriv("id-aes256-wrap", secret, WRAP_IV);
  return Buffer.concat([cipher.update(dataKey), cipher.final()]);
}

/** @throws DecryptionError */
export function unwrapKey(secret: Buffer, wrapped: Buffer): Buffer {
  try {
    const decipher = createDecipheriv("id-aes256-wrap", secret, WRAP_IV);
    return Buffer.concat([decipher.update(wrapped), decipher.final()]);
  } catch {
    throw new DecryptionError();
  }
}
