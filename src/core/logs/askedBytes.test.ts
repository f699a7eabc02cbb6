import { expect, test } from "vitest";
import { byteRange } from "./askedBytes.ts";

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
  ["Bytes=2-5", { start: 2, end: 6, partial: true }],
  ["bytes=7-99999999999999999999", { start: 7, end: 10, partial: true }],
  ["bytes=-99999999999999999999", { start: 0, end: 10, partial: true }],
  ["bytes=99999999999999999999-", "unsatisfiable"],
  [`bytes=${"9".repeat(400)}-`, "unsatisfiable"],
  ["lines=0-1", { start: 0, end: 10, partial: false }],
  [undefined, { start: 0, end: 10, partial: false }],
])("the range %s of ten bytes", (header, range) => {
  expect(byteRange(header, 10)).toEqual(range);
});

test("any range of an empty log is unsatisfiable, and the log itself is empty", () => {
  expect(byteRange("bytes=0-", 0)).toBe("unsatisfiable");
  expect(byteRange(undefined, 0)).toEqual({ start: 0, end: 0, partial: false });
});
