import { createHash, randomBytes } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, readlink, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Place } from "../crypto/envelope.ts";
import { createKeyring } from "../crypto/keyring.ts";
import { FRAME_BYTES } from "../crypto/sealedStream.ts";
import { DecryptionError } from "../crypto/wrapping.ts";
import { ConfigError } from "../settings/setting.ts";
import { compressedName } from "./compression.ts";
import { openObjectStore } from "./openStore.ts";
import { sealedObjects } from "./sealed.ts";
import { type ObjectStore, StorageUnavailableError } from "./store.ts";

let root: string;
let store: ObjectStore;
beforeEach(async () => {
  root = join(await mkdtemp(join(tmpdir(), "objects-")), "not yet made");
  store = openObjectStore(pathToFileURL(root).href);
});
afterEach(() => rm(join(root, ".."), { recursive: true, force: true }));

async function* pieces(...parts: (Uint8Array | Error)[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) {
    if (part instanceof Error) throw part;
    yield part;
  }
}

async function read(key: string): Promise<string | null> {
  const stored = await store.get(key);
  return stored === null ? null : (await buffer(stored.body)).toString();
}

describe("the file store", () => {
  it("gives back what was put, with its size, replaces it whole, and deletes it", async () => {
    expect(await store.put("runs/1/plan", Buffer.from("one"))).toEqual({ size: 3 });
    expect(await store.get("runs/1/plan").then((stored) => stored?.size)).toBe(3);
    await store.put("runs/1/plan", pieces(Buffer.from("tw"), Buffer.from("o!")));
    expect(await read("runs/1/plan")).toBe("two!");
    await store.delete("runs/1/plan");
    await store.delete("runs/1/plan");
    expect(await read("runs/1/plan")).toBeNull();
    expect(await readdir(join(root, ".unfinished"))).toEqual([]);
  });

  it("keeps the old object and no remains when the source breaks half way, and throws the source's own error", async () => {
    await store.put("a/b", Buffer.from("old"));
    const broken = new Error("client went away");
    await expect(store.put("a/b", pieces(Buffer.from("new"), broken))).rejects.toBe(broken);
    expect(await read("a/b")).toBe("old");
    expect(await readdir(join(root, ".unfinished"))).toEqual([]);
  });

  it.each([
    "",
    "/etc/passwd",
    "../x",
    "a/../../x",
    "a//b",
    "a/.hidden",
    "a/b/",
    "a\\..\\b",
    "a\0b",
    "é",
    "a".repeat(200),
  ])("refuses the key %j", async (key) => {
    await expect(store.put(key, Buffer.from("x"))).rejects.toThrow(TypeError);
    await expect(store.get(key)).rejects.toThrow(TypeError);
    await expect(store.delete(key)).rejects.toThrow(TypeError);
  });

  it("is unavailable, not broken, when the folder cannot be made", async () => {
    await writeFile(root, "a file where the folder should be");
    await expect(store.check()).rejects.toThrow(StorageUnavailableError);
    await expect(store.put("a", Buffer.from("x"))).rejects.toThrow(StorageUnavailableError);
  });

  it("clears half-written files a day after their writer died, and no younger ones", async () => {
    await mkdir(join(root, ".unfinished"), { recursive: true });
    for (const name of ["old", "young"]) await writeFile(join(root, ".unfinished", name), "x");
    const longAgo = new Date(Date.now() - 25 * 3_600_000);
    await utimes(join(root, ".unfinished", "old"), longAgo, longAgo);
    await store.check();
    expect(await readdir(join(root, ".unfinished"))).toEqual(["young"]);
  });
});

describe("openObjectStore", () => {
  it.each([
    "file://host/share",
    "file:///a?b=c",
    "s3://",
    "s3://UPPER_case",
    "s3://bucket?colour=red",
    "s3://bucket?endpoint=x",
  ])("refuses %s", (location) => {
    expect(() => openObjectStore(location)).toThrow(ConfigError);
  });
});

describe("sealed objects", () => {
  const place: Place = { table: "artifacts", column: "object_key", rowId: "7" };
  const keyring = createKeyring({ provider: "aes-256", key: randomBytes(32), previousKeys: [] });

  it("come back as they were, measured and digested as plaintext, and are unreadable on disk", async () => {
    const plaintext = Buffer.concat([Buffer.from("plan of network-prod"), randomBytes(2_500_000)]);
    const objects = sealedObjects(store, keyring);
    expect(await objects.putSealed("p", place, pieces(plaintext.subarray(0, 99), plaintext.subarray(99)))).toEqual({
      size: plaintext.length,
      sha256: createHash("sha256").update(plaintext).digest("hex"),
    });
    const body = await objects.getSealed("p", place, plaintext.length);
    expect((await buffer(body as NonNullable<typeof body>)).equals(plaintext)).toBe(true);
    expect((await readFile(join(root, "p"))).includes("network-prod")).toBe(false);
    await objects.delete("p");
    expect(await objects.getSealed("p", place, plaintext.length)).toBeNull();
  });

  it.each([0, 1, FRAME_BYTES - 1, FRAME_BYTES, FRAME_BYTES + 1, 3 * FRAME_BYTES])(
    "of %i bytes are as long as their reader expects",
    async (size) => {
      const objects = sealedObjects(store, keyring);
      await objects.putSealed("p", place, Buffer.alloc(size));
      const body = await objects.getSealed("p", place, size);
      expect((await buffer(body as NonNullable<typeof body>)).length).toBe(size);
      await expect(objects.getSealed("p", place, size + 1)).rejects.toThrow(DecryptionError);
    },
  );

  it("do not open, before any byte of them is given, when cut, changed, swapped or sealed by another key", async () => {
    const size = 1_500_000;
    const objects = sealedObjects(store, keyring);
    await objects.putSealed("p", place, randomBytes(size));
    const file = join(root, "p");
    const bytes = await readFile(file);
    const refused = (as: Place = place) => expect(objects.getSealed("p", as, size)).rejects.toThrow(DecryptionError);
    await refused({ ...place, rowId: "8" });
    for (const length of [0, 1, 50, 1_000, FRAME_BYTES, bytes.length - 1]) {
      await writeFile(file, bytes.subarray(0, length));
      await refused();
    }
    await writeFile(file, Buffer.concat([bytes, Buffer.alloc(1)]));
    await refused();
    const changed = Buffer.from(bytes);
    changed.writeUInt8(changed.readUInt8(500) ^ 1, 500);
    await writeFile(file, changed);
    await refused();
    await sealedObjects(
      store,
      createKeyring({ provider: "aes-256", key: randomBytes(32), previousKeys: [] }),
    ).putSealed("p", place, randomBytes(size));
    await refused();
  });

  describe("whose name says that they are compressed", () => {
    const name = compressedName("p");
    const line = "terraform_data.n[17]: Still creating... [10s elapsed]\n";

    it.each([
      ["a buffer", 0],
      ["a buffer", 60_000],
      ["a stream", 0],
      ["a stream", 60_000],
      ["a stream", 5 * FRAME_BYTES],
    ])("come back from %s of %i bytes as they were, take less, and are measured before", async (from, size) => {
      const plaintext = Buffer.alloc(size, line);
      const objects = sealedObjects(store, keyring);
      const parts = [plaintext.subarray(0, 999), plaintext.subarray(999)];
      const stored = await objects.putSealed(name, place, from === "a buffer" ? plaintext : pieces(...parts));
      expect(stored).toEqual({ size, sha256: createHash("sha256").update(plaintext).digest("hex") });
      const body = await objects.getSealed(name, place, size);
      expect((await buffer(body as NonNullable<typeof body>)).equals(plaintext)).toBe(true);
      if (size > 0) expect((await readFile(join(root, name))).length * 7).toBeLessThan(size);
    });

    it("keep nothing of a source that breaks, and throw its own error", async () => {
      const broken = new Error("client went away");
      const objects = sealedObjects(store, keyring);
      await expect(objects.putSealed(name, place, pieces(Buffer.from("new"), broken))).rejects.toBe(broken);
      expect(await objects.getSealed(name, place, 3)).toBeNull();
    });

    it.each([
      [60_000, 59_999],
      [60_000, 60_001],
      [2 * FRAME_BYTES, 2 * FRAME_BYTES - 1],
      [2 * FRAME_BYTES, 2 * FRAME_BYTES + 1],
    ])("do not open as another size: %i as %i", async (size, asked) => {
      const objects = sealedObjects(store, keyring);
      await objects.putSealed(name, place, pieces(Buffer.alloc(size, line)));
      const body = await objects.getSealed(name, place, asked);
      await expect(buffer(body as NonNullable<typeof body>)).rejects.toThrow(DecryptionError);
    });

    it("do not open, before any byte of them is given, when cut", async () => {
      const objects = sealedObjects(store, keyring);
      await objects.putSealed(name, place, Buffer.alloc(60_000, line));
      const bytes = await readFile(join(root, name));
      await writeFile(join(root, name), bytes.subarray(0, bytes.length - 1));
      await expect(objects.getSealed(name, place, 60_000)).rejects.toThrow(DecryptionError);
    });
  });

  it("break off where damage shows late, and do not open again for a while", async () => {
    const objects = sealedObjects(store, keyring);
    await objects.putSealed("p", place, randomBytes(1_500_000));
    const bytes = await readFile(join(root, "p"));
    bytes.writeUInt8(bytes.readUInt8(1_400_000) ^ 1, 1_400_000);
    await writeFile(join(root, "p"), bytes);
    const body = await objects.getSealed("p", place, 1_500_000);
    await expect(buffer(body as NonNullable<typeof body>)).rejects.toThrow(DecryptionError);
    await expect(objects.getSealed("p", place, 1_500_000)).rejects.toThrow(DecryptionError);
  });

  it("are unavailable, not damaged, when the store fails while they are read", async () => {
    const failing = { ...store, get: async () => ({ size: 1, body: Readable.from(pieces(new Error("away"))) }) };
    const reading = sealedObjects(failing, keyring).getSealed("p", place, 1);
    await expect(reading).rejects.toThrow(StorageUnavailableError);
  });

  it("let go of their file when nobody reads them", async () => {
    const objects = sealedObjects(store, keyring);
    await objects.putSealed("p", place, randomBytes(2_500_000));
    const open = async () => {
      const names = await Promise.all(
        (await readdir("/proc/self/fd")).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => "")),
      );
      return names.includes(join(root, "p"));
    };
    const body = await objects.getSealed("p", place, 2_500_000);
    expect(await open()).toBe(true);
    body?.destroy();
    await expect.poll(open).toBe(false);
    await expect(objects.getSealed("p", { ...place, rowId: "8" }, 2_500_000)).rejects.toThrow(DecryptionError);
    await expect.poll(open).toBe(false);
  });
});
