import { describe, expect, it } from "vitest";
import { cronText, lastText } from "./scheduleText.ts";

const NONE = {
  ...{ occurs_at: "2026-12-01T03:00:00Z", due: 0, created: 0, skipped: 0, failed: 0 },
  ...{ reason: null, error: null, deployment_id: null, deployment_status: null },
};

describe("a schedule in words", () => {
  it.each([
    [{ created: 1, deployment_status: "finished" }, "made, finished"],
    [{ skipped: 1, reason: "held" as const }, "left out: the stack was on hold"],
    [{ failed: 1, error: "There is no such branch." }, "failed: There is no such branch."],
    [{ due: 1, error: "The host is away." }, "tried again: The host is away."],
    [{ skipped: 1, reason: "overtaken" as const, error: "e" }, "left out: its next time came first; e"],
    [{ created: 3, skipped: 1, reason: "held" as const }, "3 made, 1 left out, the stack was on hold"],
  ])("%j is %s", (last, words) => expect(lastText({ ...NONE, ...last })).toBe(words));

  it("has its fields with their zone, and none where it comes once", () => {
    expect(cronText({ cron: "0 3 * * *", time_zone: "UTC" })).toBe("0 3 * * * (UTC)");
    expect(cronText({ cron: null, time_zone: "UTC" })).toBeNull();
  });
});
