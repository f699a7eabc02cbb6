import { Readable } from "node:stream";
import { Hono } from "hono";
import { afterEach, beforeEach, expect, test } from "vitest";
import { compression } from "./compression.ts";

const app = new Hono();
app.use(compression(/./));
app.get("/json", (c) => c.json({ text: "x".repeat(5_000), number: Math.random() }));

let failures: unknown[];
const note = (error: unknown) => failures.push(error);
beforeEach(() => {
  failures = [];
  process.on("uncaughtException", note);
});
afterEach(() => process.off("uncaughtException", note));

/** What a stream throws in vain it throws in a later turn. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise(setImmediate);
}

const ENCODINGS = ["gzip", "br", "zstd"];

test.each(ENCODINGS.flatMap((encoding) => [0, 1, 2, 3, 5, 20].map((after) => [encoding, after] as const)))(
  "who leaves a %s answer %i turns after it began harms nobody else",
  async (encoding, after) => {
    const answer = await app.request("/json", { headers: { "accept-encoding": encoding } });
    expect(answer.headers.get("content-encoding")).toBe(encoding);
    await turns(after);
    await answer.body?.cancel();
    await turns(20);
    expect(failures).toEqual([]);
  },
);

test.each(ENCODINGS)("what makes a long %s answer is told when nobody reads it any more", async (encoding) => {
  const ended = Promise.withResolvers<void>();
  async function* lines() {
    try {
      for (;;) yield crypto.getRandomValues(new Uint8Array(1_000)).toString();
    } finally {
      ended.resolve();
    }
  }
  const streaming = new Hono();
  streaming.use(compression(/./));
  streaming.get("/log", (c) => {
    const body = Readable.toWeb(Readable.from(lines(), { objectMode: false })) as unknown as ReadableStream;
    return c.body(body, 200, { "content-type": "text/plain" });
  });
  const answer = await streaming.request("/log", { headers: { "accept-encoding": encoding } });
  const reader = answer.body?.getReader();
  await reader?.read();
  await reader?.cancel();
  await ended.promise;
  await turns(20);
  expect(failures).toEqual([]);
});
