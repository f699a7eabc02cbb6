import { expect, it } from "vitest";
import { grown, pause, pauseMs, spread } from "./pause.ts";

it("grows with each failure up to the longest, however many there were", () => {
  const growth = { first: 25, factor: 2, longest: 400 };
  expect([1, 2, 3, 5, 6, 1_000_000].map((failures) => grown(growth, failures))).toEqual([25, 50, 100, 400, 400, 400]);
});

it("is spread between two multiples", () => {
  expect([0, 0.5, 1].map((random) => spread(100, [0.5, 1.5], random))).toEqual([50, 100, 150]);
});

it("of a row is tripled, varies by a tenth, and is as long as the other side asks for", () => {
  const policy = { firstPauseMs: 5_000 };
  expect([1, 2, 3, 1_000_000].map((attempts) => pauseMs(policy, attempts, null, 0.5))).toEqual([
    5_000, 15_000, 45_000, 900_000,
  ]);
  expect([0, 1].map((random) => pauseMs(policy, 1, null, random))).toEqual([4_500, 5_500]);
  expect(pauseMs(policy, 1, 3_600_000, 0.5)).toBe(3_600_000);
});

it("ends early when its signal aborts", async () => {
  const stopping = new AbortController();
  const paused = pause(3_600_000, stopping.signal);
  stopping.abort();
  await paused;
  await pause(3_600_000, stopping.signal);
});
