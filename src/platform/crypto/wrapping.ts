/** How data keys are wrapped by a key that never leaves its keeper. */
import { ProblemError } from "../problems/problem.ts";

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

/**
 * Sealed bytes did not open. Never says why: the reason would help only someone who changed them. It is a problem of
 * its own, so that a key that is missing is never told as a bug, whichever route meets it.
 */
export class DecryptionError extends ProblemError {
  constructor() {
    const detail =
      "Something stored encrypted could not be decrypted. An operator has to list its key again, or it has to be sent anew.";
    super({ status: 503, code: "decryption_failed", detail });
  }
}
