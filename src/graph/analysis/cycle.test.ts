import fc from "fast-check";
import { expect, test } from "vitest";
import { components } from "./components.ts";
import { shortestCycle } from "./cycle.ts";

test("of two cycles the shorter one, in the order of its pairs", () => {
  const pairs = Int32Array.of(0, 1, 1, 2, 2, 0, 1, 3, 3, 4, 4, 0);
  expect(shortestCycle(5, pairs, 0)).toEqual([0, 1, 2]);
  expect(shortestCycle(5, pairs, 4)).toEqual([4, 0, 1, 3]);
});

test("a loop of one node is none, nor is a way that only leads away", () => {
  expect(shortestCycle(2, Int32Array.of(0, 0, 0, 1), 0)).toBeNull();
});

test("there is one exactly for the nodes of components of two and more, and each step of it is a pair", () => {
  const pair = fc.tuple(fc.nat(7), fc.nat(7));
  fc.assert(
    fc.property(fc.array(pair, { maxLength: 16 }), fc.nat(7), (list, start) => {
      const pairs = Int32Array.from(list.flat());
      const { of, sizes } = components(8, pairs);
      const cycle = shortestCycle(8, pairs, start);
      expect(cycle !== null).toBe(sizes[of[start]!]! > 1);
      if (cycle === null) return;
      expect(new Set(cycle).size).toBe(cycle.length);
      cycle.forEach((node, i) => {
        const step = [node, cycle[(i + 1) % cycle.length]];
        expect(list).toContainEqual(step);
      });
    }),
    { numRuns: 1_000 },
  );
});
