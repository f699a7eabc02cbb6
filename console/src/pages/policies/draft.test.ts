import { expect, it } from "vitest";
import type { PolicyRules } from "../../data/types.ts";
import { draftOf, rulesOf } from "./draft.ts";

const RULES: PolicyRules = {
  protected_types: ["aws_db_*", "aws_s3_bucket"],
  max_destroys: 3,
  windows: {
    time_zone: "Europe/Berlin",
    open: [{ days: ["mon", "tue"], from: "09:00", to: "17:00" }],
    closed: [{ from: "2026-12-24T00:00:00Z", to: "2026-12-27T00:00:00Z", reason: "holidays" }],
  },
  attention: [
    { types: ["aws_iam_*"], min_destroys: 1, count: 2, from: ["role:platform"], reason: "rights change" },
    { types: [], count: 1, from: [], reason: "anything" },
  ],
};

it("gives back what it was given, also what it does not show", () => {
  expect(rulesOf(draftOf(RULES))).toEqual(RULES);
});

it("has no rule where nothing was written", () => {
  expect(rulesOf(draftOf(null))).toEqual({ protected_types: [], max_destroys: null, windows: null, attention: [] });
});
