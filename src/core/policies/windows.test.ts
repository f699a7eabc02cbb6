import { expect, it } from "vitest";
import type { Windows } from "./rules.ts";
import { standingAt } from "./windows.ts";

const WORK: Windows = {
  time_zone: "Europe/Berlin",
  open: [{ days: ["mon", "tue", "wed", "thu", "fri"], from: "09:00", to: "17:00" }],
  closed: [{ from: "2026-12-24T00:00:00Z", to: "2026-12-28T00:00:00Z", reason: "Holidays." }],
};
const at = (time: string, windows = WORK) => {
  const { closed, until } = standingAt(windows, new Date(time));
  return [closed === null, until?.toISOString() ?? null];
};

it("goes by the clocks of its zone, in winter and in summer", () => {
  expect(at("2026-11-30T07:59:00Z")).toEqual([false, "2026-11-30T08:00:00.000Z"]);
  expect(at("2026-11-30T08:00:00Z")).toEqual([true, "2026-11-30T16:00:00.000Z"]);
  expect(at("2026-07-01T07:00:00Z")).toEqual([true, "2026-07-01T15:00:00.000Z"]);
  expect(at("2026-11-27T16:00:00Z")).toEqual([false, "2026-11-30T08:00:00.000Z"]);
});

it("is closed over a freeze, with its reason, and opens with the next hours after it", () => {
  const { closed } = standingAt(WORK, new Date("2026-12-24T10:00:00Z"));
  expect(closed).toBe("Holidays. (until 2026-12-28T00:00:00Z)");
  expect(at("2026-12-24T10:00:00Z")).toEqual([false, "2026-12-28T08:00:00.000Z"]);
  expect(at("2026-12-23T15:00:00Z")).toEqual([true, "2026-12-23T16:00:00.000Z"]);
});

it("without hours only freezes close it, however far they are", () => {
  const frozen = { ...WORK, open: [] };
  expect(at("2026-11-01T00:00:00Z", frozen)).toEqual([true, "2026-12-24T00:00:00.000Z"]);
  expect(at("2027-01-01T00:00:00Z", frozen)).toEqual([true, null]);
});

it("opens when the clocks leave out the hour at which it would", () => {
  const night: Windows = {
    time_zone: "Europe/Berlin",
    open: [{ days: ["sun"], from: "02:30", to: "06:00" }],
    closed: [],
  };
  // 02:00 becomes 03:00 at 01:00 UTC.
  expect(at("2026-03-29T00:30:00Z", night)).toEqual([false, "2026-03-29T01:00:00.000Z"]);
});

it("has a day to its end, minutes of any kind, and no end where it never changes", () => {
  const all: Windows = {
    time_zone: "UTC",
    open: [{ days: ["mon", "tue", "wed", "thu", "fri", "sat", "sun"], from: "00:00", to: "24:00" }],
    closed: [],
  };
  expect(at("2026-11-30T10:00:00Z", all)).toEqual([true, null]);
  const odd: Windows = { ...all, open: [{ days: ["mon"], from: "09:07", to: "09:11" }] };
  expect(at("2026-11-30T09:08:30Z", odd)).toEqual([true, "2026-11-30T09:11:00.000Z"]);
});
