import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { nextCheck, placeOf } from "./schedule.ts";

const KEY = "01890000-0000-7000-8000-000000000001";
const HOUR = 3_600_000;
const every = (interval: string) => ({ interval, cron: null, time_zone: "UTC" });
const by = (cron: string, time_zone = "UTC") => ({ interval: null, cron, time_zone });
const dueAt = (timing: Parameters<typeof nextCheck>[0], key: string, after: Date) =>
  nextCheck(timing, key, after)!.dueAt;

describe("an interval", () => {
  it("gives each stack a place of its own, which stays", () => {
    const first = dueAt(every("P1D"), KEY, new Date("2026-03-01T00:00:00Z"));
    const second = dueAt(every("P1D"), KEY, first);
    expect(second.getTime() - first.getTime()).toBe(24 * HOUR);
    expect(dueAt(every("P1D"), KEY, new Date(first.getTime() - 1))).toEqual(first);
  });

  it("spreads ten thousand stacks over the whole day", () => {
    const hours = new Array<number>(24).fill(0);
    for (let i = 0; i < 10_000; i++) {
      const hour = dueAt(every("P1D"), randomUUID(), new Date("2026-03-01T00:00:00Z")).getUTCHours();
      hours[hour] = (hours[hour] ?? 0) + 1;
    }
    // Each is binomial about 417; six standard deviations are 120.
    for (const count of hours) expect(Math.abs(count - 417)).toBeLessThan(120);
  });
});

describe("a cron schedule", () => {
  const offset = (timing: ReturnType<typeof by>, point: string, after: string) =>
    dueAt(timing, KEY, new Date(after)).getTime() - Date.parse(point);

  it("is followed within an hour, at the stack's own place", () => {
    const place = Math.floor(placeOf(KEY) * HOUR);
    expect(offset(by("0 3 * * *"), "2026-03-01T03:00:00Z", "2026-03-01T00:00:00Z")).toBe(place);
    // The point has passed, the stack's place has not.
    const before = new Date(Date.parse("2026-03-01T03:00:00Z") + place - 1).toISOString();
    expect(offset(by("0 3 * * *"), "2026-03-01T03:00:00Z", before)).toBe(place);
    const after = new Date(Date.parse("2026-03-01T03:00:00Z") + place).toISOString();
    expect(offset(by("0 3 * * *"), "2026-03-02T03:00:00Z", after)).toBe(place);
  });

  it("comes no later than the next point", () => {
    const { spreadMs } = nextCheck(by("*/20 * * * *"), KEY, new Date("2026-03-01T00:00:00Z"))!;
    expect(spreadMs).toBe(20 * 60_000);
  });

  it("follows the clocks of its zone through both changes of the hour", () => {
    const berlin = by("0 6 * * *", "Europe/Berlin");
    const place = Math.floor(placeOf(KEY) * HOUR);
    expect(offset(berlin, "2026-03-28T05:00:00Z", "2026-03-28T00:00:00Z")).toBe(place);
    expect(offset(berlin, "2026-03-29T04:00:00Z", "2026-03-29T00:00:00Z")).toBe(place);
    expect(offset(berlin, "2026-10-25T05:00:00Z", "2026-10-25T00:00:00Z")).toBe(place);
  });

  it("that names an hour which a change leaves out, or has twice, comes once that day", () => {
    const berlin = by("30 2 * * *", "Europe/Berlin");
    const points = (day: string) => {
      const found: Date[] = [];
      const end = Date.parse(`${day}T23:59:59Z`);
      for (let at = new Date(`${day}T00:00:00Z`); ; ) {
        const next = nextCheck(berlin, KEY, at);
        if (next === null || next.dueAt.getTime() > end) return found;
        found.push(next.dueAt);
        at = next.dueAt;
      }
    };
    expect(points("2026-03-29")).toHaveLength(1);
    expect(points("2026-10-25")).toHaveLength(1);
  });

  it("that never comes again has no next check", () => {
    expect(nextCheck(by("0 0 30 2 *"), KEY, new Date("2026-03-01T00:00:00Z"))).toBeNull();
  });
});
