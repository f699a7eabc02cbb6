import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import type { Place } from "../crypto/envelope.ts";
import type { Keyring } from "../crypto/keyring.ts";
import type { ObjectStore } from "./store.ts";

/** Objects encrypted at rest, bound to the row that names them. Sizes and digests are those of the plaintext. */
export interface SealedObjects {
  /** Replaces the object in one step. An error of `source` passes through and then nothing was stored. */
  putSealed(
    key: string,
    place: Place,
    source: Buffer | AsyncIterable<Uint8Array>,
  ): Promise<{ size: number; sha256: string }>;
  /**
   * Null when there is no such object; else to be read to its end or destroyed. The stream fails with DecryptionError,
   * after a true prefix, when the object was changed, cut, or sealed for another row; compare size or digest before
   * acting on what was read.
   */
  getSealed(key: string, place: Place): Promise<Readable | null>;
  delete(key: string): Promise<void>;
}

export function sealedObjects(store: ObjectStore, keyring: Keyring): SealedObjects {
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
      await store.put(key, keyring.sealStream(place)(measured()));
      return { size, sha256: hash.digest("hex") };
    },

    async getSealed(key, place) {
      const stored = await store.get(key);
      if (stored === null) return null;
      const opened = Readable.from(keyring.openStream(place)(stored.body), { objectMode: false });
      // A stream that nobody began to read is destroyed without its source hearing of it.
      return opened.once("close", () => stored.body.destroy());
    },

    delete: (key) => store.delete(key),
  };
}
