import { expect, test } from "vitest";
import { linesOf } from "./lines.ts";

/** @param size of each piece, in bytes */
function bodyOf(text: string, size: number, onCancel = () => {}): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.subarray(at, at + size));
      at += size;
    },
    cancel: onCancel,
  });
}

async function all(body: ReadableStream<Uint8Array>): Promise<string[]> {
  const found: string[] = [];
  for await (const lines of linesOf(body)) found.push(...lines);
  return found;
}

test.each([1, 2, 3, 7, 100])(
  "lines are whole in pieces of %d bytes, the last one also without its end",
  async (size) => {
    const read = await all(bodyOf("ä\n\nbcd\né", size));
    expect(read).toEqual(["ä", "", "bcd", "é"]);
    expect(await all(bodyOf("a\n", size))).toEqual(["a"]);
  },
);

test("whoever stops in the middle lets go of the connection", async () => {
  let cancelled = false;
  const body = bodyOf("a\nb\nc\n", 2, () => {
    cancelled = true;
  });
  for await (const lines of linesOf(body)) if (lines.includes("a")) break;
  expect(cancelled).toBe(true);
});
