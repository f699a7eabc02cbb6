/** Where bytes too large for a row are kept. Nothing here knows about encryption: callers go through `sealed.ts`. */
import type { Readable } from "node:stream";
import { ProblemError } from "../problems/problem.ts";
import { ConfigError } from "../settings/setting.ts";

export interface StoredObject {
  /** Bytes as stored. */
  size: number;
  body: Readable;
}

/** The port. Both adapters make an object visible only when it is whole, and replace one in a single step. */
export interface ObjectStore {
  /** @throws StorageUnavailableError; an error of `source` itself passes through, and then nothing was stored. */
  put(key: string, source: Buffer | AsyncIterable<Uint8Array>): Promise<{ size: number }>;
  /** Null when there is no such object. The body must be read to its end or destroyed, or a handle stays open. */
  get(key: string): Promise<StoredObject | null>;
  /** Deleting what is not there is success. */
  delete(key: string): Promise<void>;
  /** Resolves when the store can be written to; for boot and /readyz. */
  check(): Promise<void>;
}

export class StorageUnavailableError extends ProblemError {
  constructor(cause: unknown) {
    const detail = "The artifact store cannot be reached; nothing is lost by trying again.";
    super({ status: 503, code: "storage_unavailable", detail, retryAfterSeconds: 5, cause });
  }
}

const SEGMENT = "[A-Za-z0-9][A-Za-z0-9._-]{0,99}";
const KEY = new RegExp(`^${SEGMENT}(?:/${SEGMENT}){0,9}$`);

/**
 * Keys are made by our own code, so a bad one is a programmer's error. No segment starts with a dot, hence none
 * climbs out of a folder or meets the store's own temporary files.
 */
export function assertKey(key: string): void {
  if (!KEY.test(key)) throw new TypeError(`not an object key: ${JSON.stringify(key)}`);
}

/** Refuses a malformed `SVC_OBJECTS_URL` the way every other setting is refused. */
export function objectsUrlError(wrong: string): ConfigError {
  return new ConfigError(
    `SVC_OBJECTS_URL ${wrong}; for example s3://bucket/prefix?region=eu-west-1 or file:///var/lib/svc/objects`,
  );
}

/**
 * Passes a source through while remembering whether it was the source that failed, since an upload that breaks because
 * the client went away must not look like an outage of the store. Also counts.
 */
export class WatchedSource {
  size = 0;
  failed = false;
  readonly #source: AsyncIterable<Uint8Array>;

  constructor(source: Buffer | AsyncIterable<Uint8Array>) {
    this.#source = Buffer.isBuffer(source) ? single(source) : source;
  }

  async *bytes(): AsyncGenerator<Uint8Array, void> {
    try {
      for await (const chunk of this.#source) {
        this.size += chunk.length;
        yield chunk;
      }
    } catch (error) {
      this.failed = true;
      throw error;
    }
  }

  /** The error to throw for a failed write. */
  blame(error: unknown): unknown {
    return this.failed ? error : new StorageUnavailableError(error);
  }
}

async function* single(chunk: Buffer): AsyncGenerator<Uint8Array, void> {
  yield chunk;
}
