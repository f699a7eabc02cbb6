import { expect, it } from "vitest";
import { mostAtOnce, putOffFor } from "./pace.ts";

it.each([
  [0, 2],
  [1.2, 2],
  [6.94, 8],
  [20, 23],
  [100.5, 117],
])("of a mean of %d as many as %d are under way", (mean, most) => expect(mostAtOnce(mean)).toBe(most));

it("never fewer than the mean, which would leave ever more waiting", () => {
  for (let mean = 0; mean < 50; mean += 0.1) expect(mostAtOnce(mean)).toBeGreaterThanOrEqual(mean);
});

it("waits longer each time, an hour at most", () => {
  expect([0, 1, 2, 10, 1_000].map(putOffFor)).toEqual([60_000, 120_000, 240_000, 3_600_000, 3_600_000]);
});
