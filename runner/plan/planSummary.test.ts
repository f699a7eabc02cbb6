import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { RunKind } from "../../src/core/runs/protocol.ts";
import { type PlanDocument, parsePlanDocument } from "./planDocument.ts";
import { summarizePlan, unmeasuredPlan } from "./planSummary.ts";

/** JSON plans written by Terraform 1.11 (`show -json`), the configuration part left out. */
function real(name: string): PlanDocument {
  const document = parsePlanDocument(readFileSync(path.join(import.meta.dirname, "testdata", `${name}.json`), "utf8"));
  if (document === null) throw new Error(`${name} is no plan`);
  return document;
}

const none = { add: 0, change: 0, destroy: 0, replace: 0, import: 0, forget: 0, move: 0 };

describe("plans by a real engine", () => {
  test.each<[string, RunKind, boolean, Partial<typeof none>]>([
    ["mixed", "plan_run", true, { add: 1, change: 1, destroy: 1, replace: 2, import: 1, forget: 1, move: 1 }],
    ["nothing", "plan_run", false, {}],
    ["outputs-only", "plan_run", true, {}],
    ["moved-only", "plan_run", true, { move: 1 }],
    ["drift", "plan_run", true, { add: 1 }],
    ["drift-refresh-only", "refresh_run", true, { forget: 1 }],
    ["steady-refresh-only", "refresh_run", false, {}],
    ["sensitive-update", "plan_run", true, { change: 1 }],
  ])("%s as %s: has changes %s", (name, kind, hasChanges, counts) => {
    expect(summarizePlan(real(name), kind)).toEqual({
      has_changes: hasChanges,
      counts: { ...none, ...counts },
      gaps: [],
    });
  });
});

describe("what cannot be measured", () => {
  const withActions = (...lists: string[][]): PlanDocument => {
    const document = real("nothing");
    const [first] = document.resource_changes;
    const resource_changes = lists.map((actions, index) => ({
      ...first!,
      address: `a.b${index}`,
      change: { ...first!.change, actions },
    }));
    return { ...document, applyable: undefined, resource_changes };
  };

  test("an unknown action makes the counts null, which is not zero, and names the resource", () => {
    expect(summarizePlan(withActions(["create"], ["transmogrify"]), "plan_run")).toEqual({
      has_changes: true,
      counts: null,
      gaps: ["a.b1: unknown action transmogrify"],
    });
  });

  test("an unknown action in a drift counts as drift", () => {
    const document = {
      ...real("steady-refresh-only"),
      applyable: undefined,
      resource_drift: withActions(["transmogrify"]).resource_changes,
    };
    expect(summarizePlan(document, "refresh_run")).toMatchObject({ has_changes: true, counts: null });
  });

  test("changes that the engine put off are changes nobody counted", () => {
    const document = { ...real("nothing"), applyable: undefined, deferred_changes: [{}] };
    expect(summarizePlan(document, "plan_run")).toMatchObject({ has_changes: true, counts: null });
  });

  test("gaps stay within what done accepts", () => {
    const many = withActions(...Array.from({ length: 500 }, () => ["x".repeat(2_000)]));
    const { gaps } = summarizePlan(many, "plan_run");
    expect(gaps).toHaveLength(21);
  });

  test("a document of another format is no plan, and no plan means there may be changes", () => {
    for (const text of [
      "",
      "[]",
      "null",
      "{}",
      '{"format_version":"2.0"}',
      '{"format_version":"1.2","resource_changes":1}',
    ]) {
      expect(parsePlanDocument(text), text).toBeNull();
    }
    expect(unmeasuredPlan("too large")).toEqual({ has_changes: true, counts: null, gaps: ["too large"] });
  });

  test("a refresh-only plan counts no destroy for a resource that is gone", () => {
    expect(summarizePlan(real("drift-refresh-only"), "refresh_run").counts).toMatchObject({ destroy: 0, forget: 1 });
  });
});

describe("what is no resource", () => {
  test.each([
    ["actions", { ...none, add: 1 }, ["action.local_command.note"]],
    ["action-alone", none, ["action.local_command.alone"]],
  ])("%s of a real engine are changes that no count tells of", (name, counts, addresses) => {
    const { has_changes, counts: counted, gaps } = summarizePlan(real(name), "plan_run");
    expect({ has_changes, counted }).toEqual({ has_changes: true, counted: counts });
    expect(gaps.map((text) => text.split(":")[0])).toEqual(addresses);
  });

  test("a part of the plan that nobody knows is a gap and may be a change; an empty one is nothing", () => {
    const steady = { ...real("nothing"), applyable: undefined };
    const gaps = ["the plan has a part that this runner does not know: teleports"];
    expect(summarizePlan({ ...steady, teleports: [{}] }, "plan_run")).toEqual({
      has_changes: true,
      counts: null,
      gaps,
    });
    for (const empty of [null, [], {}]) {
      expect(summarizePlan({ ...steady, teleports: empty }, "plan_run")).toMatchObject({
        has_changes: false,
        gaps: [],
      });
    }
  });

  test("actions that the engine puts off are a gap and a change", () => {
    expect(summarizePlan({ ...real("mixed"), deferred_action_invocations: [{}] }, "plan_run")).toMatchObject({
      has_changes: true,
      gaps: ["1 actions were deferred by the engine"],
    });
  });
});

describe("the engine's word that there is nothing to apply", () => {
  test.each<[string, RunKind]>([
    ["mixed", "plan_run"],
    ["outputs-only", "plan_run"],
    ["drift-refresh-only", "refresh_run"],
    ["action-alone", "plan_run"],
  ])("ends the deployment of %s, and where it says nothing what is listed counts", (name, kind) => {
    expect(summarizePlan({ ...real(name), applyable: false }, kind).has_changes).toBe(false);
    expect(summarizePlan({ ...real(name), applyable: undefined }, kind).has_changes).toBe(true);
  });
});
