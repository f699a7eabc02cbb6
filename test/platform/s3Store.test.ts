import { randomBytes } from "node:crypto";
import { buffer } from "node:stream/consumers";
import { CreateBucketCommand, ListMultipartUploadsCommand, ListObjectsV2Command, S3Client } from "@aws-sdk/client-s3";
import { test as base, describe, expect, vi } from "vitest";
import { createKeyring } from "../../src/platform/crypto/keyring.ts";
import { openObjectStore } from "../../src/platform/objects/openStore.ts";
import { sealedObjects } from "../../src/platform/objects/sealed.ts";
import { StorageUnavailableError } from "../../src/platform/objects/store.ts";
import { startMoto } from "../support/moto.ts";

const storeAt = (endpoint: string, bucket = "artifacts") =>
  openObjectStore(`s3://${bucket}/some/prefix?region=eu-west-1&endpoint=${encodeURIComponent(endpoint)}`);

async function* parts(count: number, size: number, failAt = -1): AsyncGenerator<Buffer> {
  for (let index = 0; index < count; index++) {
    if (index === failAt) throw new Error("client went away");
    yield Buffer.alloc(size, index);
  }
}

const test = base
  .extend("moto", { scope: "file" }, async ({}, { onCleanup }) => {
    const moto = await startMoto();
    onCleanup(() => moto.stop());
    return moto;
  })
  .extend("client", { scope: "file" }, ({ moto }, { onCleanup }) => {
    const client = new S3Client({ endpoint: moto.endpoint, region: "eu-west-1", forcePathStyle: true });
    onCleanup(() => client.destroy());
    return client;
  })
  .extend("store", { scope: "file" }, ({ moto }) => storeAt(moto.endpoint));

test.beforeAll(async ({ client }) => {
  vi.stubEnv("AWS_ACCESS_KEY_ID", "test");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "test");
  await client.send(
    new CreateBucketCommand({ Bucket: "artifacts", CreateBucketConfiguration: { LocationConstraint: "eu-west-1" } }),
  );
}, 180_000);

describe("the S3 store", () => {
  test("gives back what was put, replaces it and deletes it", async ({ store, client }) => {
    await store.put("runs/1/plan", Buffer.from("one"));
    expect(await store.put("runs/1/plan", Buffer.from("three"))).toEqual({ size: 5 });
    const stored = await store.get("runs/1/plan");
    expect(stored?.size).toBe(5);
    expect((await buffer(stored?.body ?? parts(0, 0))).toString()).toBe("three");
    const listed = await client.send(new ListObjectsV2Command({ Bucket: "artifacts" }));
    expect(listed.Contents?.map((object) => object.Key)).toEqual(["some/prefix/runs/1/plan"]);
    await store.delete("runs/1/plan");
    await store.delete("runs/1/plan");
    expect(await store.get("runs/1/plan")).toBeNull();
  });

  test("sends a stream of unknown length in parts, sealed, and gives back the same bytes", async ({ store }) => {
    const keyring = createKeyring({ provider: "aes-256", key: randomBytes(32), previousKeys: [] });
    const objects = sealedObjects(store, keyring);
    const place = { table: "artifacts", column: "object_key", rowId: "1" };
    expect(await objects.putSealed("big", place, parts(20, 1_000_000))).toMatchObject({ size: 20_000_000 });
    const body = await objects.getSealed("big", place, 20_000_000);
    const expected = await buffer(parts(20, 1_000_000));
    expect((await buffer(body ?? parts(0, 0))).equals(expected)).toBe(true);
  });

  test("replaces an object by what is made of it while it is read, as a rotation of keys does", async ({ store }) => {
    const whole = await buffer(parts(20, 1_000_000));
    await store.put("again", whole);
    const { body } = (await store.get("again"))!;
    const inverted = async function* () {
      for await (const chunk of body) yield Buffer.from(chunk as Buffer).map((byte) => 255 - byte);
    };
    await store.put("again", inverted());
    const after = await buffer((await store.get("again"))!.body);
    expect(after.equals(Buffer.from(whole.map((byte) => 255 - byte)))).toBe(true);
  });

  test("stores nothing when the source breaks half way, and throws the source's own error", async ({
    store,
    client,
  }) => {
    await expect(store.put("broken", parts(20, 1_000_000, 15))).rejects.toThrow("client went away");
    expect(await store.get("broken")).toBeNull();
    const unfinished = await client.send(new ListMultipartUploadsCommand({ Bucket: "artifacts" }));
    expect(unfinished.Uploads ?? []).toEqual([]);
  });

  test("says that it is unavailable when the bucket is missing or nothing listens", async ({ store, moto }) => {
    await expect(store.check()).resolves.toBeUndefined();
    await expect(storeAt(moto.endpoint, "missing").check()).rejects.toThrow(StorageUnavailableError);
    const nowhere = storeAt("http://127.0.0.1:1");
    await expect(nowhere.get("a")).rejects.toThrow(StorageUnavailableError);
    await expect(nowhere.put("a", Buffer.from("x"))).rejects.toThrow(StorageUnavailableError);
  });
});
