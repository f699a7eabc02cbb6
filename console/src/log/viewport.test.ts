import fc from "fast-check";
import { expect, test } from "vitest";
import { centred, isAtEnd, scrollHeight, scrollTopFor, topAfterKey, topOf } from "./viewport.ts";

test("every row can be scrolled to, of ten million too, and the end is the end", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 10_000_000 }),
      fc.integer({ min: 40, max: 2_000 }),
      fc.nat(),
      (rows, height, any) => {
        const viewport = { rows, height };
        const last = Math.max(0, rows - height / 24);
        const row = Math.min(any % rows, last);
        expect(topOf(viewport, scrollTopFor(viewport, row))).toBeCloseTo(row, 3);
        expect(scrollHeight(viewport)).toBeLessThanOrEqual(8_000_000);
        expect(isAtEnd(viewport, scrollTopFor(viewport, rows))).toBe(true);
      },
    ),
  );
});

test("keys move by rows however much the scroll bar stands for", () => {
  const viewport = { rows: 1_000_000, height: 400 };
  expect(["ArrowDown", "PageDown", "PageUp", "Home", "a"].map((key) => topAfterKey(viewport, 500, key))).toEqual([
    501,
    514,
    486,
    0,
    null,
  ]);
  expect(centred(viewport, 100)).toBe(95);
  expect(topOf({ rows: 3, height: 400 }, 0)).toBe(0);
});
