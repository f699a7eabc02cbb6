import fc from "fast-check";
import { expect, it } from "vitest";
import { WEEKDAYS, type Windows } from "./rules.ts";
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

it("holds its answer until the next hour at which it is another one, whatever the hours and the zone", () => {
  const between = (...ends: string[]) => {
    const [from = "", to = ""] = ends.toSorted();
    return { from, to };
  };
  const clock = fc.nat(96).map((quarter) => {
    const two = (n: number) => String(n).padStart(2, "0");
    return `${two(Math.floor(quarter / 4))}:${two((quarter % 4) * 15)}`;
  });
  const opening = fc
    .record({ days: fc.subarray([...WEEKDAYS], { minLength: 1 }), a: clock, b: clock })
    .filter(({ a, b }) => a !== b)
    .map(({ days, a, b }) => ({ days, ...between(a, b) }));
  const begin = Date.parse("2026-10-23T00:00:00Z");
  const time = (max: number) => fc.nat(max).map((minutes) => new Date(begin + minutes * 60_000).toISOString());
  const freeze = fc
    .tuple(time(20_000), time(20_000))
    .filter(([a, b]) => a !== b)
    .map(([a, b]) => ({ ...between(a, b), reason: "r" }));
  const windows = fc.record({
    time_zone: fc.constantFrom("Europe/Berlin", "Australia/Lord_Howe", "America/New_York", "Asia/Kathmandu"),
    open: fc.array(opening, { maxLength: 3 }),
    closed: fc.array(freeze, { maxLength: 2 }),
  });
  fc.assert(
    fc.property(windows, time(8_000), (given, now) => {
      const isClosed = (ms: number) => standingAt(given, new Date(ms)).closed !== null;
      const { closed, until } = standingAt(given, new Date(now));
      const from = Date.parse(now);
      const end = until?.getTime() ?? from + 3 * 86_400_000;
      if (until !== null && until.getTime() - from < 8 * 86_400_000) expect(isClosed(end)).toBe(closed === null);
      for (let at = from; at < end; at += Math.max((end - from) / 12, 60_000))
        expect([new Date(at).toISOString(), isClosed(at)]).toEqual([new Date(at).toISOString(), closed !== null]);
    }),
    { numRuns: 40 },
  );
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
