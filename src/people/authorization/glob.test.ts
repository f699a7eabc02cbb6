import fc from "fast-check";
import { expect, test } from "vitest";
import { globToLike, likeToGlob } from "./glob.ts";

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
