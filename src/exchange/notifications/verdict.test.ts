import { describe, expect, it } from "vitest";
import { postOutcome, retryAfterOf, verdictFrom } from "./verdict.ts";

const SCHEDULE = [5_000, 60_000, 300_000];
const answered = (status: number, retryAfter: string | null = null) =>
  ({ kind: "answered", status, retryAfter }) as const;
const of = (result: Parameters<typeof postOutcome>[0], attempts = 1, random = 0.5) =>
  verdictFrom(postOutcome(result), attempts, SCHEDULE, random);

describe("verdictFrom", () => {
  it.each([200, 202, 204, 299])("takes %i for success", (status) =>
    expect(of(answered(status))).toEqual({ outcome: "sent" }),
  );

  it.each([400, 401, 403, 404, 410, 422, 499])("gives up at once after %i", (status) =>
    expect(of(answered(status))).toMatchObject({ outcome: "dead", status, error: `the target answered ${status}` }),
  );

  it.each([429, 500, 502, 503, 599, 301, 302, 307, 308])("tries again after %i", (status) =>
    expect(of(answered(status))).toMatchObject({ outcome: "retry", status, pauseMs: 5_000 }),
  );

  it.each(["timeout", "unreachable", "certificate"] as const)("tries again after no answer: %s", (kind) =>
    expect(of({ kind })).toMatchObject({ outcome: "retry", status: null }),
  );

  it("names the setting that may open the address", () =>
    expect(of({ kind: "unreachable" })).toMatchObject({ error: expect.stringContaining("SVC_EGRESS_ALLOW") }));

  it("follows the schedule, and is dead when that is used up", () => {
    const pauses = [1, 2, 3].map((attempts) => of(answered(500), attempts));
    expect(pauses).toMatchObject([{ pauseMs: 5_000 }, { pauseMs: 60_000 }, { pauseMs: 300_000 }]);
    expect(of(answered(500), 4)).toMatchObject({ outcome: "dead", status: 500 });
  });

  it("varies a pause by a tenth either way", () => {
    expect(of(answered(500), 1, 0)).toMatchObject({ pauseMs: 4_500 });
    expect(of(answered(500), 1, 1)).toMatchObject({ pauseMs: 5_500 });
  });

  it("honours Retry-After of any answer that is tried again", () => {
    expect(of(answered(429, "120"))).toMatchObject({ notBefore: { afterMs: 120_000 } });
    expect(of(answered(503, "Fri, 27 Nov 2026 10:00:00 GMT"))).toMatchObject({
      notBefore: { at: "2026-11-27T10:00:00.000Z" },
    });
  });
});

describe("retryAfterOf", () => {
  it.each([
    [null, null],
    ["", null],
    ["soon", null],
    ["-5", null],
    ["1.5", null],
    ["0", { afterMs: 0 }],
    [" 7 ", { afterMs: 7_000 }],
    ["999999999", { afterMs: 86_400_000 }],
    ["9".repeat(400), { afterMs: 86_400_000 }],
    ["Fri, 99 Nov 2026 10:00:00 GMT", null],
    ["Sunday, 06-Nov-94 08:49:37 GMT", { at: "1994-11-06T08:49:37.000Z" }],
    ["Fri, 01 Jan 99999 00:00:00 GMT", { at: "9999-01-01T00:00:00.000Z" }],
  ])("reads %j", (value, expected) => expect(retryAfterOf(value)).toEqual(expected));
});
