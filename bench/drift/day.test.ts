import { expect, test } from "vitest";
import { dayOf } from "./day.ts";

const KEYS = Array.from({ length: 10_000 }, (_, i) => `01890000-0000-7000-8000-${String(i).padStart(12, "0")}`);

test("ten thousand stacks a day stay within 1.2 of the mean, and nearly none is late", () => {
  const day = dayOf(KEYS, { interval: "P1D", cron: null, time_zone: "UTC" }, () => 60);
  expect(day.most / day.mean).toBeLessThanOrEqual(1.2);
  expect(day.begun).toBeGreaterThan(9_990);
});

test("at a full hour too", () => {
  const hour = dayOf(KEYS, { interval: null, cron: "0 3 * * *", time_zone: "UTC" }, () => 60);
  expect(hour.most / hour.mean).toBeLessThanOrEqual(1.2);
  expect(hour.begun).toBeGreaterThan(9_900);
});
