import { expect, test } from "vitest";
import { parseDuration, shownDuration } from "./durations.ts";

test.each([
  ["90", 90_000],
  ["90s", 90_000],
  ["30m", 1_800_000],
  ["1h30m", 5_400_000],
  ["PT30M", 1_800_000],
  ["P1DT1S", 86_401_000],
  ["2d", 172_800_000],
  ["", null],
  ["soon", null],
  ["-5s", null],
  ["5 s", null],
  ["PT", null],
])("%j is %s", (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

test.each([
  [400, "0.4 s"],
  [12_900, "12 s"],
  [185_000, "3 min 05 s"],
  [7_620_000, "2 h 07 min"],
  [300_000_000, "3 d"],
  [-5, "0.0 s"],
])("%d reads as %s", (ms, text) => {
  expect(shownDuration(ms)).toBe(text);
});
