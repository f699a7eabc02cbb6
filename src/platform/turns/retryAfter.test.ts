import { expect, it } from "vitest";
import { RetryAfter } from "./retryAfter.ts";

const seconds = (random: number, times: number) => {
  const retryAfter = new RetryAfter({ leastSeconds: 5, mostSeconds: 60, perSecond: 4, random: () => random });
  return Array.from({ length: times }, () => retryAfter.next("a"));
};

it("says the least while few are refused, and more the more there are, up to the most", () => {
  expect(seconds(0, 20).every((each) => each === 5)).toBe(true);
  expect(seconds(0, 100).at(-1)).toBe(25);
  expect(seconds(0, 1_000).at(-1)).toBe(60);
});

it("sends nobody away for longer because of others", () => {
  const retryAfter = new RetryAfter({ leastSeconds: 5, perSecond: 4, random: () => 0 });
  for (let i = 0; i < 500; i++) retryAfter.next("a");
  expect(retryAfter.next("b")).toBe(5);
});

it("does not bring all of them back in one moment", () => {
  expect(seconds(0.999, 1)).toEqual([8]);
  const retryAfter = new RetryAfter({ leastSeconds: 5, perSecond: 4 });
  expect(new Set(Array.from({ length: 400 }, () => retryAfter.next("a"))).size).toBeGreaterThan(10);
});
