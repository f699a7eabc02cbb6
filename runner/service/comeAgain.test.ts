import { expect, it } from "vitest";
import { pauseOf } from "./comeAgain.ts";

it.each([
  ["says nothing", 2_000, null, 2_000],
  ["says later", 2_000, 10_000, 10_000],
  ["says sooner", 5_000, 1_000, 5_000],
  ["says much later than was set", 200, 10_000, 1_000],
])(
  "keeps to the interval, and the service's wish within bounds: one that %s",
  (_what, intervalMs, comeAgainMs, pause) => {
    expect(pauseOf(intervalMs, { comeAgainMs })).toBe(pause);
  },
);
