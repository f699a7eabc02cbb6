import { expect, test } from "vitest";
import { type Chunk, visibleChunks } from "./logs.ts";
import { byteRange } from "./logsRoute.ts";

const chunk = (index: number, sealed: boolean): Chunk => ({
  index,
  sealed,
  size: 1,
  objectKey: sealed ? "k" : null,
  liveBytes: sealed ? null : Buffer.alloc(1),
});
const indexes = (chunks: Chunk[]) => chunks.map((c) => c.index);

test("while the run goes on, reading stops after the first chunk that is not sealed, and before a missing one", () => {
  expect(indexes(visibleChunks([chunk(0, true), chunk(1, true), chunk(2, false), chunk(3, false)], false))).toEqual([
    0, 1, 2,
  ]);
  expect(indexes(visibleChunks([chunk(0, true), chunk(2, true)], false))).toEqual([0]);
  expect(indexes(visibleChunks([chunk(1, false)], false))).toEqual([]);
});

test("once the run is over, everything that arrived is shown", () => {
  expect(indexes(visibleChunks([chunk(0, true), chunk(1, false), chunk(2, false)], true))).toEqual([0, 1, 2]);
  expect(indexes(visibleChunks([chunk(0, true), chunk(2, true)], true))).toEqual([0, 2]);
});

test.each([
  ["bytes=0-0", { start: 0, end: 1, partial: true }],
  ["bytes=2-5", { start: 2, end: 6, partial: true }],
  ["bytes=7-", { start: 7, end: 10, partial: true }],
  ["bytes=7-999", { start: 7, end: 10, partial: true }],
  ["bytes=-3", { start: 7, end: 10, partial: true }],
  ["bytes=-99", { start: 0, end: 10, partial: true }],
  ["bytes=10-", "unsatisfiable"],
  ["bytes=-0", "unsatisfiable"],
  ["bytes=5-2", { start: 0, end: 10, partial: false }],
  ["bytes=-", { start: 0, end: 10, partial: false }],
  ["bytes=0-1,4-5", { start: 0, end: 10, partial: false }],
  ["lines=0-1", { start: 0, end: 10, partial: false }],
  [undefined, { start: 0, end: 10, partial: false }],
])("the range %s of ten bytes", (header, range) => {
  expect(byteRange(header, 10)).toEqual(range);
});

test("any range of an empty log is unsatisfiable, and the log itself is empty", () => {
  expect(byteRange("bytes=0-", 0)).toBe("unsatisfiable");
  expect(byteRange(undefined, 0)).toEqual({ start: 0, end: 0, partial: false });
});
