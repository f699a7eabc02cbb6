import { expect, it } from "vitest";
import { failed, longestOutage, type Refusal } from "./asking.ts";

const at = (atMs: number, status: number | null = 503, retryAfter = true): Refusal => ({
  ...{ atMs, status, retryAfter },
  what: "",
});

it("takes a 503 that says when to come again for no failure, and everything else for one", () => {
  const odd = [at(1, 500), at(2, null, false), at(3, 503, false)];
  expect(failed([at(0), ...odd])).toEqual(odd);
});

it("measures how long one refusal followed the other", () => {
  expect(longestOutage([])).toBe(0);
  expect(longestOutage([at(0), at(100), at(400), at(5_000), at(5_200)])).toBe(400);
});
