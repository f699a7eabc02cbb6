/**
 * One sealed value. Layout, all in one binary column:
 *
 *   version 1 | key id length 1 | key id | wrapped key length 2 | wrapped data key | nonce 12 | ciphertext | tag 16
 *
 * Each value has a data key of its own, wrapped by the operator's key. AES-256-GCM authenticates the header together
 * with the place (table, column, row id), so a value copied to another row or put under another key id does not open.
 */
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import type { KeyWrapper } from "./wrapping.ts";
import { DecryptionError } from "./wrapping.ts";

/** Where a sealed value lives; bound to it as associated data. */
export interface Place {
  table: string;
  column: string;
  rowId: string;
}

/** What was opened, or null when no key opens it any more. Other failures pass. */
export async function ifReadable<T>(opening: Promise<T>): Promise<T | null> {
  try {
    return await opening;
  } catch (error) {
    if (error instanceof DecryptionError) return null;
    throw error;
  }
}

export const CIPHER = "aes-256-gcm";
export const TAG_BYTES = 16;
const NONCE_BYTES = 12;
const DATA_KEY_BYTES = 32;
const VERSION_VALUE = 1;

export async function sealEnvelope(keys: KeyWrapper, plaintext: Buffer, place: Place): Promise<Buffer> {
  const { dataKey, header } = await newHeader(keys, VERSION_VALUE);
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, dataKey, nonce).setAAD(associatedData(header, place));
  return Buffer.concat([header, nonce, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
}

/** @throws DecryptionError */
export async function openEnvelope(keys: KeyWrapper, envelope: Buffer, place: Place): Promise<Buffer> {
  const length = headerLength(envelope);
  if (length === null || envelope.length < length + NONCE_BYTES + TAG_BYTES) throw new DecryptionError();
  const header = envelope.subarray(0, length);
  const dataKey = await readHeader(keys, VERSION_VALUE, header);
  const nonce = envelope.subarray(length, length + NONCE_BYTES);
  return openBytes(dataKey, nonce, associatedData(header, place), envelope.subarray(length + NONCE_BYTES));
}

/** Checks and decrypts ciphertext followed by its tag. @throws DecryptionError */
export function openBytes(dataKey: Buffer, nonce: Buffer, aad: Buffer, sealed: Buffer): Buffer {
  const tagAt = sealed.length - TAG_BYTES;
  try {
    const decipher = createDecipheriv(CIPHER, dataKey, nonce, { authTagLength: TAG_BYTES })
      .setAAD(aad)
      .setAuthTag(sealed.subarray(tagAt));
    const plaintext = decipher.update(sealed.subarray(0, tagAt));
    decipher.final();
    return plaintext;
  } catch {
    throw new DecryptionError();
  }
}

/** A fresh data key and the header that carries it. */
export async function newHeader(keys: KeyWrapper, version: number): Promise<{ dataKey: Buffer; header: Buffer }> {
  const dataKey = randomBytes(DATA_KEY_BYTES);
  const { keyId, wrapped } = await keys.wrap(dataKey);
  const wrappedLength = Buffer.alloc(2);
  wrappedLength.writeUInt16BE(wrapped.length);
  return { dataKey, header: Buffer.concat([Buffer.from([version, keyId.length]), keyId, wrappedLength, wrapped]) };
}

/** Length in bytes of the header that `bytes` begin with, or null when they end before it does. */
export function headerLength(bytes: Buffer): number | null {
  if (bytes.length < 2) return null;
  const wrappedLengthAt = 2 + (bytes[1] as number);
  if (bytes.length < wrappedLengthAt + 2) return null;
  const length = wrappedLengthAt + 2 + bytes.readUInt16BE(wrappedLengthAt);
  return bytes.length < length ? null : length;
}

/** Id of the key that an envelope or a sealed stream is under, or null when `bytes` end before it does. */
export function keyIdOf(bytes: Buffer): Buffer | null {
  const end = bytes.length < 2 ? Number.POSITIVE_INFINITY : 2 + (bytes[1] as number);
  return bytes.length < end ? null : bytes.subarray(2, end);
}

/** The data key of a complete header. @throws DecryptionError */
export async function readHeader(keys: KeyWrapper, version: number, header: Buffer): Promise<Buffer> {
  if (header[0] !== version) throw new DecryptionError();
  const keyIdEnd = 2 + (header[1] as number);
  const dataKey = await keys.unwrap(header.subarray(2, keyIdEnd), header.subarray(keyIdEnd + 2));
  if (dataKey.length !== DATA_KEY_BYTES) throw new DecryptionError();
  return dataKey;
}

/** JSON, not a joined string: ("a|b", "c") and ("a", "b|c") must not be one place. */
export function associatedData(header: Buffer, place: Place): Buffer {
  return Buffer.concat([header, Buffer.from(JSON.stringify([place.table, place.column, place.rowId]))]);
}
