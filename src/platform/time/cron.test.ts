import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cronProblem, isTimeZone, nextPoint } from "./cron.ts";

describe("the next point", () => {
  const points = (cron: string, zone: string, day: string) => {
    const found: string[] = [];
    const end = Date.parse(`${day}T23:59:59Z`);
    for (let at: Date | null = new Date(Date.parse(`${day}T00:00:00Z`) - 1); ; ) {
      at = nextPoint(cron, zone, at);
      if (at === null || at.getTime() > end) return found;
      found.push(at.toISOString());
    }
  };

  it("is strictly later", () =>
    expect(nextPoint("0 3 * * *", "UTC", new Date("2026-03-01T03:00:00Z"))?.toISOString()).toBe(
      "2026-03-02T03:00:00.000Z",
    ));

  it("is by the clocks of the zone", () =>
    expect([
      points("0 6 * * *", "Europe/Berlin", "2026-03-28"),
      points("0 6 * * *", "Europe/Berlin", "2026-03-29"),
    ]).toEqual([["2026-03-28T05:00:00.000Z"], ["2026-03-29T04:00:00.000Z"]]));

  it("comes once on the day on which the clocks leave it out, or have it twice", () => {
    expect(points("30 2 * * *", "Europe/Berlin", "2026-03-29")).toHaveLength(1);
    expect(points("30 2 * * *", "Europe/Berlin", "2026-10-25")).toHaveLength(1);
  });

  it.each(["30 2,14 * * *", "0,30 2 * * *", "0 2-4 * * *"])(
    "%s has its times of the day on such days as on others",
    (cron) => {
      const most = points(cron, "Europe/Berlin", "2026-06-10").length;
      expect(points(cron, "Europe/Berlin", "2026-10-25")).toHaveLength(most);
      expect(points(cron, "Europe/Berlin", "2026-03-29").length).toBeGreaterThanOrEqual(most - 1);
    },
  );

  it("of any time of the day comes once each day, through all changes of a zone's clocks", () => {
    // Changes at two, at midnight, of half an hour, twice within Ramadan, south of the equator.
    const zones = ["Europe/Berlin", "Africa/Cairo", "Australia/Lord_Howe", "Africa/Casablanca", "America/Santiago"];
    const days = (from: Date) => Array.from({ length: 400 }, (_, at) => new Date(from.getTime() + at * 86_400_000));
    fc.assert(
      fc.property(fc.constantFrom(...zones), fc.nat(23), fc.nat(59), fc.nat(3), (timeZone, hour, minute, year) => {
        const date = new Intl.DateTimeFormat("en-CA", { timeZone, dateStyle: "short" });
        const from = new Date(Date.UTC(2025 + year, 0, 1, 12));
        const found: string[] = [];
        for (let at: Date | null = from; found.length < 399; found.push(date.format(at as Date)))
          at = nextPoint(`${minute} ${hour} * * *`, timeZone, at as Date);
        const noons = days(from).map((day) => date.format(day));
        const first = noons.indexOf(found[0] ?? "");
        expect([timeZone, hour, minute, found.slice(0, 390)]).toEqual([
          ...[timeZone, hour, minute],
          noons.slice(first, first + 390),
        ]);
      }),
      { numRuns: 25 },
    );
  });

  it("each hour goes on through the change", () => {
    expect(points("0 * * * *", "Europe/Berlin", "2026-10-25")).toHaveLength(24);
    expect(points("0 * * * *", "Europe/Berlin", "2026-03-29")).toHaveLength(24);
  });

  it("is none where the day never comes", () =>
    expect(nextPoint("0 0 30 2 *", "UTC", new Date("2026-03-01T00:00:00Z"))).toBeNull());
});

it.each([
  ["0 3 * * *", null],
  ["*/15 * * * *", null],
  ["0 9 * * 1-5", null],
  ["*/5 * * * *", "comes more often than every 15 minutes"],
  ["58,3 * * * *", "comes more often than every 15 minutes"],
  ["0 0 30 2 *", "never comes"],
  ["0 3 * *", "expected five fields: minute, hour, day of month, month, day of week"],
  ["0 0 3 * * *", "expected five fields: minute, hour, day of month, month, day of week"],
  ["61 3 * * *", "is not a cron schedule"],
  ["x y z a b", "is not a cron schedule"],
])("%s: %s", (cron, problem) => expect(cronProblem(cron, 15 * 60_000)).toBe(problem));

it.each([
  ["UTC", true],
  ["Europe/Berlin", true],
  ["America/Argentina/Buenos_Aires", true],
  ["+02:00", false],
  ["Mars/Base", false],
  ["", false],
])("%s as a time zone: %s", (name, isOne) => expect(isTimeZone(name)).toBe(isOne));
