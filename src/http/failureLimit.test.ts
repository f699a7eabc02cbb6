import { expect, test } from "vitest";
import { FailureLimit } from "./failureLimit.ts";

test("so many failures a minute, and then none until the minute that began with the first is over", () => {
  let now = 0;
  const limit = new FailureLimit(3, { now: () => now });
  const refused = () => {
    try {
      limit.check("a");
      return null;
    } catch (error) {
      return (error as { retryAfterSeconds: number }).retryAfterSeconds;
    }
  };
  for (const at of [1, 20_000, 40_000]) {
    now = at;
    expect(refused()).toBe(null);
    limit.failed("a");
  }
  expect(refused()).toBe(21);
  limit.check("b");
  now = 61_000;
  expect(refused()).toBe(null);
});
