import { describe, expect, it } from "vitest";
import { PR_CONDITIONS } from "../stacks/schema.ts";
import { type Conditions, unmet, verdict } from "./requirements.ts";

const UNKNOWN: Conditions = { approved: null, mergeable: null, checks_passed: null };

it.each(PR_CONDITIONS)("%s is met, refused or not known, and only what is met is not unmet", (condition) => {
  for (const [said, outcome] of [
    [true, "met"],
    [false, "refused"],
    [null, "unknown"],
  ] as const) {
    const facts = { ...UNKNOWN, [condition]: said };
    expect(verdict([condition], facts)).toBe(outcome);
    expect(unmet([condition], facts)).toEqual(outcome === "met" ? [] : [condition]);
  }
});

describe("of several conditions", () => {
  const facts: Conditions = { approved: true, mergeable: null, checks_passed: false };

  it.each([
    [["approved"], "met", []],
    [["approved", "mergeable"], "unknown", ["mergeable"]],
    // A clear no says more than what is still to be known.
    [["mergeable", "checks_passed"], "refused", ["mergeable", "checks_passed"]],
    [["checks_passed", "approved"], "refused", ["checks_passed"]],
  ] as const)("%j: %s", (required, outcome, missing) => {
    expect(verdict(required, facts)).toBe(outcome);
    expect(unmet(required, facts)).toEqual(missing);
  });

  it.each([undefined, []])("none are required: %j", (required) => {
    expect(verdict(required, facts)).toBe("met");
    expect(unmet(required, facts)).toEqual([]);
  });
});
