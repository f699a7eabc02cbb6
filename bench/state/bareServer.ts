/**
 * Hono, the encryption and the store in a process of their own, and nothing else: what a state costs without rows.
 * Its folder is its argument; it says its port.
 */
import { createHash, randomBytes } from "node:crypto";
import { Readable } from "node:stream";
import { serve } from "@hono/node-server";
import { type Context, Hono } from "hono";
import { bodyStream } from "../../src/http/requestBody.ts";
import { createKeyring } from "../../src/platform/crypto/keyring.ts";
import { openObjectStore } from "../../src/platform/objects/openStore.ts";
import { sealedObjects } from "../../src/platform/objects/sealed.ts";

const MAX_BYTES = 268_435_456;
const keyring = createKeyring({ provider: "aes-256", key: randomBytes(32), previousKeys: [] });
const objects = sealedObjects(openObjectStore(`file://${process.argv[2]}`), keyring);
const place = { table: "bare", column: "object_key", rowId: "1" };
const sizes = new Map<string, number>();

const put = (name: string) => async (c: Context) => {
  const digest = createHash("md5");
  const body = async function* () {
    for await (const chunk of bodyStream(c.req.raw, MAX_BYTES)) {
      digest.update(chunk);
      yield chunk;
    }
  };
  sizes.set(name, (await objects.putSealed(name, place, body())).size);
  digest.digest();
  return c.body(null);
};

const app = new Hono().post("/state", put("state")).post("/small", put("small"));
app.get("/state", async (c) => {
  const body = await objects.getSealed("state", place, sizes.get("state") ?? 0);
  return c.body(Readable.toWeb(body as Readable) as unknown as ReadableStream);
});
serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) => console.log(port));
