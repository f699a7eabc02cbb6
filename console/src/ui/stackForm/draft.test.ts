import { expect, test } from "vitest";
import { changesOf, conditionText, EMPTY_DRAFT } from "./draft.ts";

test("only what differs is sent, lists and labels as the service takes them", () => {
  const after = {
    ...EMPTY_DRAFT,
    name: " network ",
    labels: "env=prod\nteam=a=b",
    authz_groups: "prod, network",
    supersede_age: "PT4H",
    deploy_on_push: false,
  };
  expect(changesOf(EMPTY_DRAFT, after)).toEqual({
    name: "network",
    labels: { env: "prod", team: "a=b" },
    authz_groups: ["prod", "network"],
    supersede_age: "PT4H",
    deploy_on_push: false,
  });
  expect(changesOf(after, after)).toEqual({});
});

test("what pull requests have to be is sent whole, and the order in which it was ticked is no change", () => {
  const before = { ...EMPTY_DRAFT, pr_plan: conditionText(["checks_passed", "approved"]) };
  expect(before.pr_plan).toBe("approved,checks_passed");
  expect(changesOf(before, { ...before, pr_promote: "mergeable" })).toEqual({
    pr_requirements: { plan: ["approved", "checks_passed"], promote: ["mergeable"] },
  });
  expect(changesOf(before, { ...before, pr_plan: conditionText(["approved", "checks_passed"]) })).toEqual({});
});

test("commands beside a run are sent whole, and one that is empty is none", () => {
  const before = { ...EMPTY_DRAFT, before_plan: "make", after_apply: "tell" };
  expect(changesOf(before, { ...before, after_apply: " ", before_apply: "check\nagain" })).toEqual({
    hooks: { before_plan: "make", before_apply: "check\nagain" },
  });
  expect(changesOf(before, { ...before, branch: "next" })).toEqual({ branch: "next" });
});

test("what was emptied is taken back, not left", () => {
  const before = { ...EMPTY_DRAFT, tool_version: "1.12", fork_runner_labels: "zone=dmz", labels: "env=prod" };
  expect(changesOf(before, EMPTY_DRAFT)).toEqual({ tool_version: null, fork_runner_labels: null, labels: {} });
});
