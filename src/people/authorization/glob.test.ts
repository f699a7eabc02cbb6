import fc from "fast-check";
import { expect, test } from "vitest";
import { globToLike, likeMatches, likeToGlob } from "./glob.ts";

test("wildcards become LIKE's, everything that LIKE treats specially is escaped", () => {
  expect(globToLike("net-*")).toBe("net-%");
  expect(globToLike("net-?")).toBe("net-_");
  expect(globToLike("100%_\\")).toBe("100\\%\\_\\\\");
});

test("a stored pattern gives its glob back, whatever the glob", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(..."ab%_\\*?") }), (glob) => {
      expect(likeToGlob(globToLike(glob))).toBe(glob);
    }),
  );
});

test.each([
  ["%", "", true],
  ["net-%", "net-a", true],
  ["net-%", "internet-a", false],
  ["%-a", "net-a-b-a", true],
  ["a%b%c", "aXbXbYc", true],
  ["a%b%c", "aXcXb", false],
  ["_", "é", true],
  ["_", "", false],
  ["100\\%\\_\\\\", "100%_\\", true],
  ["100\\%", "1000", false],
  [`${"%a".repeat(40)}b`, "a".repeat(100), false],
])("like %s matches %s: %s", (pattern, text, expected) => {
  expect(likeMatches(pattern, text)).toBe(expected);
});
