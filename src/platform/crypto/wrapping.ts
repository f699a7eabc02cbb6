/** How data keys are wrapped by a key that never leaves its keeper. */

/**
 * Turns a fresh data key into bytes that may be stored, and back. Asynchronous because a cloud key service does this
 * over the network; the key id travels in the envelope so that keys can be rotated without rewriting rows.
 */
export interface KeyWrapper {
  wrap(dataKey: Buffer): Promise<{ keyId: Buffer; wrapped: Buffer }>;
  /** @throws DecryptionError when the key id is unknown or the bytes were not wrapped by it. */
  unwrap(keyId: Buffer, wrapped: Buffer): Promise<Buffer>;
}

/** One key that opens what it once wrapped. */
export interface KeyOpener {
  keyId: Buffer;
  /** @throws DecryptionError, KeyServiceUnavailableError */
  unwrap(wrapped: Buffer): Promise<Buffer>;
}

/** Sealed bytes did not open. Never says why: the reason would help only someone who changed them. */
export class DecryptionError extends Error {
  override name = "DecryptionError";
  readonly code = "decryption_failed";
  constructor() {
    super("stored data could not be decrypted");
  }
}
