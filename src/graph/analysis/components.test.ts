import fc from "fast-check";
import { expect, test } from "vitest";
import { components } from "./components.ts";

/** Who reaches whom, by following every pair until nothing new comes. */
function reachability(nodeCount: number, pairs: [number, number][]): boolean[][] {
  const reaches = Array.from({ length: nodeCount }, (_, a) => Array.from({ length: nodeCount }, (_, b) => a === b));
  for (let changed = true; changed; ) {
    changed = false;
    for (const [from, to] of pairs) {
      for (let a = 0; a < nodeCount; a++) {
        if (reaches[a]![from] && !reaches[a]![to]) {
          reaches[a]![to] = true;
          changed = true;
        }
      }
    }
  }
  return reaches;
}

const graph = fc
  .integer({ min: 1, max: 12 })
  .chain((nodeCount) =>
    fc.tuple(
      fc.constant(nodeCount),
      fc.array(fc.tuple(fc.nat(nodeCount - 1), fc.nat(nodeCount - 1)), { maxLength: 30 }),
    ),
  );

test("two nodes share a component exactly when each reaches the other", () => {
  fc.assert(
    fc.property(graph, ([nodeCount, pairs]) => {
      const { of, sizes } = components(nodeCount, Int32Array.from(pairs.flat()));
      const reaches = reachability(nodeCount, pairs);
      for (let a = 0; a < nodeCount; a++) {
        const together = reaches[a]!.filter((reached, b) => reached && reaches[b]![a]).length;
        expect(sizes[of[a]!]).toBe(together);
        for (let b = 0; b < nodeCount; b++) expect(of[a] === of[b]).toBe(reaches[a]![b] && reaches[b]![a]);
      }
      expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(nodeCount);
    }),
    { numRuns: 2_000 },
  );
});

test("a graph without nodes or without pairs", () => {
  expect(components(0, new Int32Array())).toEqual({ of: new Int32Array(), sizes: new Int32Array() });
  expect(components(3, new Int32Array()).sizes).toEqual(Int32Array.of(1, 1, 1));
});

test("a chain of 200,000 and the same closed to a ring do not overflow", () => {
  const length = 200_000;
  const chain = Int32Array.from({ length: 2 * (length - 1) }, (_, i) => (i + 1) >> 1);
  expect(components(length, chain).sizes.length).toBe(length);
  const ring = Int32Array.from([...chain, length - 1, 0]);
  expect(components(length, ring).sizes).toEqual(Int32Array.of(length));
});

test("a pair that names no node is refused", () => {
  expect(() => components(2, Int32Array.of(0, 2))).toThrow(RangeError);
});
