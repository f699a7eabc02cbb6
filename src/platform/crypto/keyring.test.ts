import { randomBytes } from "node:crypto";
import { buffer } from "node:stream/consumers";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ConfigError } from "../settings/setting.ts";
import type { Place } from "./envelope.ts";
import { createKeyring, type Keyring } from "./keyring.ts";
import { FRAME_BYTES } from "./sealedStream.ts";
import { DecryptionError } from "./wrapping.ts";

const OLD = randomBytes(32);
const NEW = randomBytes(32);
const keyring = (key: Buffer, ...previousKeys: Buffer[]) => createKeyring({ provider: "aes-256", key, previousKeys });
const PLACE: Place = { table: "runner_groups", column: "private_key", rowId: "42" };

const bytes = fc.uint8Array({ maxLength: 500 }).map((array) => Buffer.from(array));
const place: fc.Arbitrary<Place> = fc.record({ table: fc.string(), column: fc.string(), rowId: fc.string() });

async function* inPieces(whole: Buffer, pieceBytes: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < whole.length; at += pieceBytes) yield whole.subarray(at, at + pieceBytes);
}

const sealAll = (ring: Keyring, whole: Buffer, piece = 100_000) =>
  buffer(ring.sealStream(PLACE)(inPieces(whole, piece)));
const openAll = (ring: Keyring, whole: Buffer, piece = 100_000, at: Place = PLACE) =>
  buffer(ring.openStream(at)(inPieces(whole, piece)));

describe("sealed values", () => {
  const ring = keyring(NEW);

  it("open to what was sealed, at the same place", () =>
    fc.assert(
      fc.asyncProperty(bytes, place, async (plaintext, at) => {
        expect((await ring.open(await ring.seal(plaintext, at), at)).equals(plaintext)).toBe(true);
      }),
    ));

  it("do not open at any other place, also when the parts join to the same text", () =>
    fc.assert(
      fc.asyncProperty(bytes, place, place, async (plaintext, at, other) => {
        fc.pre(at.table !== other.table || at.column !== other.column || at.rowId !== other.rowId);
        await expect(ring.open(await ring.seal(plaintext, at), other)).rejects.toThrow(DecryptionError);
      }),
    ));

  it("do not open when any bit was flipped or the end was cut, and the error is always the same", () =>
    fc.assert(
      fc.asyncProperty(
        bytes,
        fc.nat(),
        fc.integer({ min: 0, max: 7 }),
        fc.boolean(),
        async (plaintext, at, bit, cut) => {
          const envelope = await ring.seal(plaintext, PLACE);
          const index = at % envelope.length;
          const changed = cut ? envelope.subarray(0, index) : Buffer.from(envelope);
          if (!cut) changed[index] = (changed[index] as number) ^ (1 << bit);
          await expect(ring.open(changed, PLACE)).rejects.toEqual(new DecryptionError());
        },
      ),
      { numRuns: 300 },
    ));

  it("never look alike twice and never hold the plaintext", async () => {
    const secret = Buffer.from("a secret that must not be readable");
    const [one, two] = [await ring.seal(secret, PLACE), await ring.seal(secret, PLACE)];
    expect(one.equals(two)).toBe(false);
    expect(one.includes(secret.subarray(0, 8))).toBe(false);
  });

  it("survive a rotation while the old key is listed, and only then", async () => {
    const envelope = await keyring(OLD).seal(Buffer.from("kept"), PLACE);
    expect((await keyring(NEW, OLD).open(envelope, PLACE)).toString()).toBe("kept");
    await expect(keyring(NEW).open(envelope, PLACE)).rejects.toThrow(DecryptionError);
    const resealed = await keyring(NEW, OLD).seal(Buffer.from("kept"), PLACE);
    await expect(keyring(OLD).open(resealed, PLACE)).rejects.toThrow(DecryptionError);
  });
});

describe("createKeyring", () => {
  it("aborts on keys of another length and on a key listed twice", () => {
    expect(() => keyring(randomBytes(31))).toThrow(ConfigError);
    expect(() => keyring(NEW, randomBytes(16))).toThrow(ConfigError);
    expect(() => keyring(NEW, Buffer.from(NEW))).toThrow(ConfigError);
  });
});

describe("sealed streams", () => {
  const ring = keyring(NEW);

  it.each([0, 1, FRAME_BYTES - 1, FRAME_BYTES, FRAME_BYTES + 1, 2 * FRAME_BYTES, 3 * FRAME_BYTES + 17])(
    "open to the %i bytes that were sealed, however they arrive",
    async (length) => {
      const plaintext = randomBytes(length);
      const sealed = await sealAll(ring, plaintext, 65_536);
      for (const piece of [16_384, FRAME_BYTES + 16, 10 * FRAME_BYTES]) {
        expect((await openAll(ring, sealed, piece)).equals(plaintext)).toBe(true);
      }
    },
  );

  it("read a header that arrives byte by byte", async () => {
    expect((await openAll(ring, await sealAll(ring, Buffer.from("slow")), 1)).toString()).toBe("slow");
  });

  it("fail when cut anywhere, at a frame's edge too", async () => {
    const sealed = await sealAll(ring, randomBytes(2 * FRAME_BYTES + 100));
    const start = sealed.length - (2 * (FRAME_BYTES + 16) + 116);
    for (const cut of [
      0,
      1,
      10,
      start,
      start + 15,
      start + FRAME_BYTES + 16,
      start + 2 * (FRAME_BYTES + 16),
      sealed.length - 1,
    ]) {
      await expect(openAll(ring, sealed.subarray(0, cut))).rejects.toThrow(DecryptionError);
    }
  });

  it("fail when frames are swapped, a bit flips, bytes are added, or the place is another", async () => {
    const sealed = await sealAll(ring, randomBytes(2 * FRAME_BYTES + 100));
    const start = sealed.length - (2 * (FRAME_BYTES + 16) + 116);
    const [one, two] = [start + FRAME_BYTES + 16, start + 2 * (FRAME_BYTES + 16)];
    const swapped = Buffer.concat([
      sealed.subarray(0, start),
      sealed.subarray(one, two),
      sealed.subarray(start, one),
      sealed.subarray(two),
    ]);
    await expect(openAll(ring, swapped)).rejects.toThrow(DecryptionError);
    const flipped = Buffer.from(sealed);
    flipped[one + 5] = (flipped[one + 5] as number) ^ 1;
    await expect(openAll(ring, flipped)).rejects.toThrow(DecryptionError);
    await expect(openAll(ring, Buffer.concat([sealed, Buffer.alloc(1)]))).rejects.toThrow(DecryptionError);
    await expect(openAll(ring, sealed, 100_000, { ...PLACE, rowId: "43" })).rejects.toThrow(DecryptionError);
  });

  it("are another format than values", async () => {
    await expect(ring.open(await sealAll(ring, Buffer.from("x")), PLACE)).rejects.toThrow(DecryptionError);
    await expect(openAll(ring, await ring.seal(Buffer.from("x"), PLACE))).rejects.toThrow(DecryptionError);
  });

  it("let go of the source when the reader stops early or a check fails", async () => {
    const sealed = await sealAll(ring, randomBytes(3 * FRAME_BYTES));
    for (const at of [PLACE, { ...PLACE, rowId: "other" }]) {
      let released = false;
      const source = (async function* () {
        try {
          yield* inPieces(sealed, 500_000);
        } finally {
          released = true;
        }
      })();
      const read = async () => {
        for await (const _ of ring.openStream(at)(source)) break;
      };
      await read().catch((error: unknown) => expect(error).toBeInstanceOf(DecryptionError));
      expect(released).toBe(true);
    }
  });
});
