import { describe, expect, it } from "vitest";
import type { PlanChange } from "../runs/planChange.ts";
import type { Input } from "./input.ts";
import { judge } from "./judge.ts";
import type { Rules } from "./rules.ts";

const NO_RULES: Rules = { protected_types: [], max_destroys: null, windows: null, attention: [] };
const COUNTS = { add: 0, change: 0, destroy: 0, replace: 0, import: 0, forget: 0, move: 0 };

function change(type: string, action: PlanChange["action"], kind: PlanChange["kind"] = "resource"): PlanChange {
  return { kind, address: `${type}.x`, type, provider: "p", action, actions: [], before: null, after: null };
}

function said(rules: Partial<Rules>, changes: PlanChange[], more: Partial<Input> = {}) {
  const plan = { has_changes: true, counts: COUNTS, gaps: [], run_id: "r", targets: [], excludes: [], replaces: [] };
  const input = { time: "2026-11-30T10:00:00Z", plan, changes, drift: [], ...more } as unknown as Input;
  return judge({ ...NO_RULES, ...rules }, input);
}

describe("protected types", () => {
  it("deny what destroys, replaces or forgets, and name the addresses", () => {
    const rules = { protected_types: ["aws_db_*", "bucket"] };
    const changes = [change("aws_db_instance", "replace"), change("bucket", "change"), change("vm", "destroy")];
    expect(said(rules, changes).deny).toEqual([
      "Resources of a protected type would be destroyed, replaced or forgotten: aws_db_instance.x (replace).",
    ]);
    expect(said(rules, [change("bucket", "change"), change("aws_db_instance", "add")]).deny).toEqual([]);
    expect(said(rules, [change("bucket", "destroy", "drift")]).deny).toEqual([]);
  });

  it("name no address that cannot be stored or shown", () => {
    const named = { ...change("bucket", "destroy"), address: `bucket.x["a\u0000\u001b[2J\ud800${"b".repeat(900)}"]` };
    const [text = ""] = said({ protected_types: ["bucket"] }, [named]).deny;
    expect(text).toContain('bucket.x["a [2J\ufffdbbb');
    expect(text.length).toBeLessThan(500);
  });

  it.each([
    ["a*c", "abc", true],
    ["a*c", "ac", true],
    ["a*c", "acb", false],
    ["*", "anything", true],
    ["a*b*c", "a-b-b-c", true],
    ["a*a", "a", false],
    ["a", "ab", false],
  ])("%s fits %s: %s", (pattern, type, fits) => {
    expect(said({ protected_types: [pattern] }, [change(type, "destroy")]).deny.length > 0).toBe(fits);
  });
});

it("denies more destroys than are allowed", () => {
  const changes = [change("a", "destroy"), change("b", "replace"), change("c", "add")];
  expect(said({ max_destroys: 1 }, changes).deny).toEqual([
    "The plan destroys, replaces or forgets 2 resources; 1 are allowed.",
  ]);
  expect(said({ max_destroys: 2 }, changes).deny).toEqual([]);
});

it("cannot judge a plan that was not measured, and warns of gaps", () => {
  expect(said({ max_destroys: 0 }, [], { plan: null }).error).toContain("not measured");
  const plan = { has_changes: true, counts: COUNTS, gaps: ["deferred"], run_id: "r" } as unknown as Input["plan"];
  expect(said({ max_destroys: 0 }, [], { plan })).toMatchObject({
    error: null,
    warn: ["The plan was not measured as a whole: deferred."],
  });
});

it("asks for approvals where something costs attention", () => {
  const rule = { types: ["aws_iam_*"], count: 2, from: ["role:platform"], reason: "rights change" };
  const asked = (attention: Rules["attention"], ...changes: PlanChange[]) => said({ attention }, changes).approvals;
  expect(asked([rule], change("aws_iam_role", "change"))).toEqual([
    { count: 2, from: ["role:platform"], reason: "rights change" },
  ]);
  expect(asked([rule], change("aws_iam_role", "read"), change("vm", "change"))).toEqual([]);
  const many = { ...rule, types: [], min_changes: 2 };
  expect([asked([many], change("a", "add")), asked([many], change("a", "add"), change("b", "add"))]).toMatchObject([
    [],
    [{ count: 2 }],
  ]);
  const destroys = { ...rule, types: [], min_destroys: 1 };
  expect([asked([destroys], change("a", "add")), asked([destroys], change("a", "forget"))]).toMatchObject([
    [],
    [{ count: 2 }],
  ]);
});

it("denies outside of its hours, and says until when", () => {
  const open = [{ days: ["mon" as const], from: "09:00", to: "10:00" }];
  const windows = { time_zone: "UTC", open, closed: [] };
  // 30 November 2026 is a Monday.
  expect(said({ windows }, [])).toMatchObject({
    deny: ["It is mon 10:00 in UTC, outside of the hours at which plans are applied."],
    until: "2026-12-07T09:00:00.000Z",
  });
  expect(said({ windows }, [], { time: "2026-11-30T09:30:00Z" })).toMatchObject({
    deny: [],
    until: "2026-11-30T10:00:00.000Z",
  });
});
