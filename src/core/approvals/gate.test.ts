import { describe, expect, it, test } from "vitest";
import type { PlanSummary } from "../runs/protocol.ts";
import { type AskedApproval, isDestructive, missingApprovals, missingText } from "./gate.ts";

const NONE = { add: 0, change: 0, destroy: 0, replace: 0, import: 0, forget: 0, move: 0 };
const ADA = { kind: "user", id: "ada" };
const asked = (of: Partial<AskedApproval> = {}): AskedApproval => ({
  ...{ source: "rule", id: "r", name: "production", reason: null, count: 1, destructive: false },
  ...{ deadline_ms: null, remind_ms: null, from: ["role security"], given: [] },
  ...of,
});
const plan = (counts: Partial<typeof NONE> | null, gaps: string[] = []): PlanSummary => ({
  has_changes: true,
  counts: counts && { ...NONE, ...counts },
  gaps,
});

describe("a plan destroys something", () => {
  test.each([
    ["plan", plan({ add: 3, change: 2, import: 1, move: 1 }), false],
    ["plan", plan({ destroy: 1 }), true],
    ["plan", plan({ replace: 1 }), true],
    ["plan", plan({ forget: 1 }), true],
    ["plan", plan({ add: 1 }, ["a module was not measured"]), true],
    ["plan", plan(null), true],
    ["plan", null, true],
    ["refresh", plan({}), false],
    ["destroy", plan({}), true],
  ] as const)("%s %j: %s", (mode, summary, expected) => expect(isDestructive(mode, summary)).toBe(expected));
});

describe("what is missing", () => {
  const missing = (required: AskedApproval[], rejections: (typeof ADA)[] = [], summary = plan({ add: 1 })) =>
    missingApprovals({ required, rejections, makers: [] }, "plan", summary);

  it("is nothing where nothing is asked for", () => {
    expect([missingApprovals(null, "plan", null), missing([]), missing([asked({ given: [ADA] })])]).toEqual([
      null,
      null,
      null,
    ]);
  });

  it("is every requirement that has too few, each by itself, and a rejection", () => {
    const few = asked({ id: "few", count: 2, given: [ADA] });
    expect(missing([asked({ given: [ADA] }), few])).toEqual({ missing: [few], rejections: [] });
    expect(missing([], [ADA])).toEqual({ missing: [], rejections: [ADA] });
    expect(missing([asked({ destructive: true })])).toBeNull();
    expect(missing([asked({ destructive: true })], [], plan({ destroy: 1 }))).not.toBeNull();
  });

  it("is said with who could give it and why", () => {
    const two = asked({
      source: "policy",
      name: "costs",
      count: 2,
      given: [ADA],
      from: [],
      reason: "over 100 a month",
    });
    expect(missingText({ missing: [asked({ from: ["role a", "group b"] }), two], rejections: [ADA, ADA] })).toBe(
      "It needs 1 more approval by role a or group b (rule production, 0 of 1 given). " +
        "It needs 1 more approval by somebody who may review the stack (policy costs, 1 of 2 given: over 100 a month). " +
        "2 reviewers reject this plan: until they approve it, it has to be planned again or skipped.",
    );
  });
});
