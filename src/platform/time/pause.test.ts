import fc from "fast-check";
import { expect, it } from "vitest";
import { pauseMs } from "./pause.ts";

const first = { firstPauseMs: 5_000 };
const LONGEST = 15 * 60_000;

it("triples with each failure, up to a quarter of an hour", () => {
  const pauses = [1, 2, 3, 4, 5, 6, 100].map((attempts) => pauseMs(first, attempts, null, 0.5));
  expect(pauses).toEqual([5_000, 15_000, 45_000, 135_000, 405_000, LONGEST, LONGEST]);
});

it("varies by a tenth, so that what failed together does not come back together", () => {
  expect([pauseMs(first, 1, null, 0), pauseMs(first, 1, null, 1)]).toEqual([4_500, 5_500]);
});

it("is never shorter than the other side asks, and is no longer for an earlier attempt", () => {
  const attempt = fc.integer({ min: 1, max: 10_000 });
  const asked = fc.option(fc.integer({ min: 0, max: 86_400_000 }));
  fc.assert(
    fc.property(attempt, asked, fc.double({ min: 0, max: 1, noNaN: true }), (attempts, retryAfterMs, random) => {
      const pause = pauseMs(first, attempts, retryAfterMs, random);
      expect(pause).toBeGreaterThanOrEqual(retryAfterMs ?? 0);
      expect(pause).toBeLessThanOrEqual(Math.max(LONGEST * 1.1, retryAfterMs ?? 0));
      expect(pauseMs(first, attempts + 1, retryAfterMs, random)).toBeGreaterThanOrEqual(pause);
    }),
  );
});
