import { expect, test } from "vitest";
import { events } from "./eventStream.ts";

const encoder = new TextEncoder();

/** A stream that says these pieces, and then neither says anything nor ends. */
function silentAfter(...pieces: string[]): Response {
  return new Response(
    new ReadableStream({
      start(controller) {
        for (const piece of pieces) controller.enqueue(encoder.encode(piece));
      },
    }),
  );
}

test("events come one by one, across pieces", async () => {
  const pieces = ["id: 7\nevent: lo", "g\ndata: a\n\n: keep-alive\n\n", "data: b\n\n"];
  const all = [];
  for await (const event of events(new Response(pieces.join("")))) all.push(event);
  expect(all).toEqual([
    { id: "7", event: "log", data: "a" },
    { id: undefined, event: undefined, data: "b" },
  ]);
});

test("a connection over which nothing comes any more is as good as lost", async () => {
  const all: string[] = [];
  const reading = (async () => {
    for await (const { data } of events(silentAfter("data: a\n\n"), 50)) all.push(data);
  })();
  await expect(reading).rejects.toThrow("nothing comes any more");
  expect(all).toEqual(["a"]);
});
