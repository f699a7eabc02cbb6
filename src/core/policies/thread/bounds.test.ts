import { expect, it, vi } from "vitest";
import { assertWithin, bounded, MOST_TEXT } from "./bounds.ts";

const inner = { sprintf: vi.fn(() => "said"), "yaml.marshal": vi.fn(() => "yaml") };
const { sprintf, "yaml.marshal": marshal } = bounded(inner) as unknown as {
  sprintf(format: string, values: unknown): unknown;
  "yaml.marshal"(value: unknown): unknown;
};

it.each([
  ["%s is %05d of %v", ["it", 3, { a: [1] }]],
  ["no place at all", []],
  ["of 450000000 rows", []],
])("%j is formatted", (format, values) => expect(sprintf(format, values)).toBe("said"));

it.each([
  ["%450000000s", ["wide"]],
  ["%.2f %'x9999999s", [1, "padded"]],
  ["%1$s".repeat(1_000), ["long".repeat(10_000)]],
  ["%9j", [[[[1]]]]],
])("%j is not", (format, values) => expect(() => sprintf(format, values)).toThrow(RangeError));

it("what is no format is left to the builtin", () => expect(sprintf(7 as never, null)).toBe("said"));

it("a little is marshalled, much is not", () => {
  expect(marshal({ a: 1 })).toBe("yaml");
  expect(() => marshal("x".repeat(70_000))).toThrow(RangeError);
});

it("text has an end", () => {
  assertWithin(MOST_TEXT);
  expect(() => assertWithin(MOST_TEXT + 1)).toThrow(RangeError);
  expect(() => assertWithin(Number.NaN)).toThrow(RangeError);
});
