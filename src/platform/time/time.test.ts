import { describe, expect, it } from "vitest";
import { isInstant, micros, rfc3339 } from "./time.ts";

describe("an instant as Postgres writes it", () => {
  it.each([
    ["2026-11-28 00:43:37.123456+00", "2026-11-28T00:43:37.123456Z"],
    ["2026-11-28T00:43:37.1+00:00", "2026-11-28T00:43:37.1Z"],
    ["2026-11-28 00:43:37+00", "2026-11-28T00:43:37Z"],
    ["12026-11-28 00:43:37+00", "12026-11-28T00:43:37Z"],
  ])("%s is shown as %s", (text, shown) => expect(rfc3339(text)).toBe(shown));

  it("is compared to the microsecond", () => {
    expect(micros("1970-01-01 00:00:01.000002+00")).toBe(1_000_002);
    expect(micros("2026-11-28T00:43:37.1Z") - micros("2026-11-28 00:43:37.099999+00")).toBe(1);
  });

  it.each(["2026-11-28 00:43:37+02", "infinity", "2026-11-28"])("in another form is a fault: %s", (text) => {
    expect(() => rfc3339(text)).toThrow(TypeError);
    expect(() => micros(text)).toThrow(TypeError);
  });
});

it.each([
  ["2026-11-28 00:43:37.123456+00", true],
  ["2026-02-30 00:00:00+00", false],
  ["0000-01-01 00:00:00+00", false],
  ["2026-01-01 24:00:00+00", false],
  ["2026-01-01 00:00:60+00", false],
  ["294277-01-01 00:00:00+00", false],
  ["2026-11-28 00:43:37.1234567+00", false],
  ["infinity", false],
])("%s, sent by anybody: %s", (text, taken) => expect(isInstant(text)).toBe(taken));
