import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { encodeEvent, eventStream } from "./logEvents.ts";
import type { LogPiece } from "./logStream.ts";

const piece = (bytes: Buffer, end: number): LogPiece => ({ kind: "log", stageId: "s", bytes, end });

test("an event has the offset after it as its id, and line ends of every kind survive", () => {
  expect(encodeEvent(piece(Buffer.from("a\r\nb\rc\n"), 107))).toBe(
    'id: 107\nevent: log\ndata: {"stage_id":"s","offset":100,"text":"a\\r\\nb\\rc\\n"}\n\n',
  );
  expect(encodeEvent({ kind: "end", end: 107, status: "finished", gaps: false })).toBe(
    'id: 107\nevent: end\ndata: {"status":"finished"}\n\n',
  );
});

test("bytes that are no UTF-8 come as text for people and exactly in base64", () => {
  const bytes = Buffer.from([0x61, 0xff, 0x62]);
  expect(encodeEvent(piece(bytes, 3))).toContain('"text":"a\ufffdb","base64":"Yf9i"');
  expect(encodeEvent(piece(Buffer.from("a\ufffdb"), 5))).not.toContain("base64");
});

test("silence is filled with comments, and nothing is lost by them", async () => {
  const said = Promise.withResolvers<void>();
  async function* pieces() {
    await said.promise;
    yield piece(Buffer.from("x"), 1);
  }
  const stream = eventStream(pieces(), encodeEvent, () => {}, 5);
  let comments = 0;
  const seen = stream.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        if (chunk[0] === ":".charCodeAt(0) && ++comments === 3) said.resolve();
        controller.enqueue(chunk);
      },
    }),
  );
  const whole = await text(seen);
  expect(comments).toBeGreaterThanOrEqual(3);
  expect(whole.startsWith("retry: 1000\n\n: keep-alive\n\n")).toBe(true);
  expect(whole.endsWith('data: {"stage_id":"s","offset":0,"text":"x"}\n\n')).toBe(true);
});

test("a client that leaves is noticed, and so is a log that cannot be read", async () => {
  const stops: unknown[] = [];
  const never = (async function* () {
    await new Promise(() => {});
    yield piece(Buffer.from("x"), 1);
  })();
  const left = eventStream(never, encodeEvent, (why) => stops.push(why));
  await left.cancel();
  // Whoever leaves while more is awaited is no failure.
  const awaited = Promise.withResolvers<void>();
  const quiet = (async function* () {
    await awaited.promise;
    yield* [] as LogPiece[];
  })();
  const reader = eventStream(quiet, encodeEvent, (why) => stops.push(why)).getReader();
  await reader.read();
  const next = reader.read();
  await new Promise(setImmediate);
  await reader.cancel();
  awaited.resolve();
  await next;
  await new Promise(setImmediate);
  const gone = new Error("gone");
  const failing = (async function* () {
    yield piece(Buffer.from("x"), 1);
    throw gone;
  })();
  await expect(text(eventStream(failing, encodeEvent, (why) => stops.push(why)))).rejects.toThrow("broke off");
  expect(stops).toEqual([undefined, undefined, gone]);
});
