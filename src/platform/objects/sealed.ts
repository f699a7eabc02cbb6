import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { LRUCache } from "lru-cache";
import type { Place } from "../crypto/envelope.ts";
import type { Keyring } from "../crypto/keyring.ts";
import { DecryptionError } from "../crypto/wrapping.ts";
import { ProblemError } from "../problems/problem.ts";
import { compress, inflate, isCompressed } from "./compression.ts";
import { type ObjectStore, StorageUnavailableError } from "./store.ts";

/**
 * Objects encrypted at rest, bound to the row that names them, and compressed before where their name says so. Sizes
 * and digests are those of what was put.
 */
export interface SealedObjects {
  /** Replaces the object in one step. An error of `source` passes through and then nothing was stored. */
  putSealed(
    key: string,
    place: Place,
    source: Buffer | AsyncIterable<Uint8Array>,
  ): Promise<{ size: number; sha256: string }>;
  /**
   * Null when there is no such object; else to be read to its end or destroyed. `size` is what it was measured with.
   * The stream fails with DecryptionError, after a true prefix, where damage shows only beyond the first frame; compare
   * size or digest before acting on what was read.
   * @throws DecryptionError for what was cut, changed in its beginning, or sealed for another row or by another key,
   * and for what broke off a moment ago; StorageUnavailableError
   */
  getSealed(key: string, place: Place, size: number): Promise<Readable | null>;
  delete(key: string): Promise<void>;
}

/** Whoever met a stream that broke off asks again within seconds. An operator may bring an object back meanwhile. */
const BROKEN = { max: 10_000, ttl: 60_000 };

export function sealedObjects(store: ObjectStore, keyring: Keyring): SealedObjects {
  const broken = new LRUCache<string, true>(BROKEN);
  return {
    async putSealed(key, place, source) {
      const hash = createHash("sha256");
      let size = 0;
      const measured = async function* () {
        for await (const chunk of Buffer.isBuffer(source) ? [source] : source) {
          hash.update(chunk);
          size += chunk.length;
          yield chunk;
        }
      };
      const stored = isCompressed(key) ? compress(measured(), Buffer.isBuffer(source)) : measured();
      await store.put(key, keyring.sealStream(place)(stored));
      return { size, sha256: hash.digest("hex") };
    },

    async getSealed(key, place, size) {
      if (broken.has(key)) throw new DecryptionError();
      const stored = await store.get(key);
      if (stored === null) return null;
      // How long a compressed one has to be is not known: that it was cut shows at its last frame.
      const lengths = isCompressed(key) ? undefined : { sealed: stored.size, plain: size };
      const frames = keyring.openStream(place, lengths)(stored.body);
      const begun = await frames.next().catch((error: unknown) => {
        throw error instanceof ProblemError ? error : new StorageUnavailableError(error);
      });
      const whole = async function* () {
        if (begun.done) return;
        yield begun.value;
        try {
          yield* frames;
        } catch (error) {
          if (error instanceof DecryptionError) broken.set(key, true);
          throw error;
        }
      };
      const plain = isCompressed(key) ? inflate(whole(), size) : whole();
      const opened = Readable.from(plain, { objectMode: false });
      // A stream that nobody began to read is destroyed without its source hearing of it.
      return opened.once("close", () => stored.body.destroy());
    },

    delete: (key) => store.delete(key),
  };
}
