import fc from "fast-check";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { DurationField, durationToMs, msToDuration } from "./durations.ts";

describe("ISO 8601 durations", () => {
  it.each([
    ["PT30M", 1_800_000],
    ["PT48H", 172_800_000],
    ["P2DT12H", 216_000_000],
    ["P1W", 604_800_000],
    ["PT0.5S", 500],
    ["PT0S", 0],
  ])("reads %s", (text, ms) => {
    expect(durationToMs(text)).toBe(ms);
  });

  it.each(["", "30m", "PT", "P", "P1M", "P1Y", "-PT1M", "PT1H ", "PT1H\n", "PT1H5", "P9999D", "PT1e3S", "pt1m", "1"])(
    "refuses %j",
    (text) => {
      expect(durationToMs(text)).toBeNull();
    },
  );

  it("writes what it reads back to the same number, for every whole millisecond", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 3_650 * 86_400_000 }), (ms) => durationToMs(msToDuration(ms)) === ms),
    );
  });

  it("writes the usual forms", () => {
    expect([0, 500, 90_000, 5_400_000, 172_800_000, 216_000_000].map(msToDuration)).toEqual([
      "PT0S",
      "PT0.5S",
      "PT1M30S",
      "PT1H30M",
      "P2D",
      "P2DT12H",
    ]);
  });

  it("as an API field gives milliseconds and refuses less than a second", () => {
    expect(v.parse(DurationField, "PT1M")).toBe(60_000);
    expect(v.safeParse(DurationField, "PT0S").success).toBe(false);
    expect(v.safeParse(DurationField, 60).success).toBe(false);
  });
});
