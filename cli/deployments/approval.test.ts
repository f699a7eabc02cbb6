import { expect, test } from "vitest";
import type { PlanSummary } from "../service/types.ts";
import { approvalOf, autoApproveOf } from "./approval.ts";

const counts = { add: 1, change: 1, destroy: 0, replace: 0, import: 0, forget: 0, move: 0 };
const harmless: PlanSummary = { has_changes: true, counts, gaps: [] };
const usual = { summary: harmless, autoApprove: null, interactive: true, allowed: true } as const;

test("whoever sits there is asked, unless all was said beforehand", () => {
  expect(approvalOf(usual)).toEqual({ by: "question" });
  expect(approvalOf({ ...usual, autoApprove: "all" })).toEqual({ by: "option" });
  expect(approvalOf({ ...usual, autoApprove: "non-destructive" })).toEqual({ by: "option" });
});

test.each([
  ["destroys", { ...harmless, counts: { ...counts, destroy: 1 } }],
  ["replaces", { ...harmless, counts: { ...counts, replace: 1 } }],
  ["forgets", { ...harmless, counts: { ...counts, forget: 1 } }],
  ["was not counted", { ...harmless, counts: null }],
  ["has gaps", { ...harmless, gaps: ["x"] }],
])("what %s is not covered by non-destructive", (_, summary) => {
  const asked = { ...usual, summary: summary as PlanSummary, autoApprove: "non-destructive" } as const;
  expect(approvalOf(asked)).toEqual({ by: "question" });
  expect(approvalOf({ ...asked, interactive: false })).toEqual({ by: "nobody", refused: true });
});

test("nobody is asked for what they may not do, or where nobody sits", () => {
  expect(approvalOf({ ...usual, allowed: false, autoApprove: "all" })).toEqual({ by: "nobody", refused: false });
  expect(approvalOf({ ...usual, interactive: false })).toEqual({ by: "nobody", refused: false });
});

test.each([
  [undefined, null],
  [true, "all"],
  ["all", "all"],
  ["non-destructive", "non-destructive"],
  ["yes", undefined],
] as const)("--auto-approve %s", (option, meaning) => {
  expect(autoApproveOf(option)).toBe(meaning);
});
