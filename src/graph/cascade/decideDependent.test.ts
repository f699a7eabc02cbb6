import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { changedParts } from "../analysis/changedParts.ts";
import {
  type Applied,
  type CascadeEdge,
  decideDependent,
  decideWaiting,
  MAX_CASCADE_DEPTH,
  waitsForPerson,
} from "./decideDependent.ts";

const UNKNOWN = changedParts(null);
const applied = (more: Partial<Applied> = {}): Applied => ({
  stackKey: "parent",
  mode: "plan",
  changed: UNKNOWN,
  path: [],
  ...more,
});
const edge = (more: Partial<CascadeEdge> = {}): CascadeEdge => ({
  dependentAddress: null,
  dependencyAddress: null,
  trigger: "always",
  declared: true,
  inferred: false,
  onCycle: false,
  overBudget: false,
  ...more,
});
const inferred = (more: Partial<CascadeEdge> = {}) =>
  edge({ trigger: "manual", declared: false, inferred: true, ...more });
const decide = (edges: CascadeEdge[], more: Partial<Applied> = {}) => decideDependent(applied(more), "child", edges);
const deep = (length: number) => Array.from({ length }, (_, i) => `s${i}`);

describe("decideDependent", () => {
  it("lets an always edge fire, and says by what", () => {
    expect(decide([edge({ dependencyAddress: "output.id", dependentAddress: "aws_subnet.a" })])).toEqual({
      trigger: "always",
      demotionReason: null,
      skippedReason: null,
      evidence: "declared",
      triggeringResources: [{ parent: "output.id", dependent: "aws_subnet.a", provenance: "declared" }],
      triggeringRemainder: 0,
    });
  });

  it.each([
    ["manual over never", ["manual", "never"], "manual", "manual_trigger"],
    ["never over always", ["never", "always"], "never", "never_trigger"],
    ["manual over always", ["always", "manual"], "manual", "manual_trigger"],
  ] as const)("combines %s", (_, triggers, trigger, skippedReason) => {
    expect(decide(triggers.map((one, i) => edge({ trigger: one, dependentAddress: `r.${i}` })))).toMatchObject({
      trigger,
      skippedReason,
      demotionReason: null,
    });
  });

  it("asks only the edges whose part of the parent changed", () => {
    const edges = [
      edge({ dependencyAddress: "output.id" }),
      edge({ dependencyAddress: "output.name", trigger: "manual" }),
    ];
    const id = changedParts({ resources: [], outputs: ["id"] });
    expect(decide(edges, { changed: id })).toMatchObject({ trigger: "always", skippedReason: null });
    const both = changedParts({ resources: [], outputs: ["id", "name"] });
    expect(decide(edges, { changed: both })).toMatchObject({ trigger: "manual" });
    const other = changedParts({ resources: ["aws_vpc.main"], outputs: [] });
    expect(decide(edges, { changed: other })).toMatchObject({
      trigger: "manual",
      skippedReason: "not_affected",
      triggeringResources: [],
    });
    expect(decide([edge()], { changed: other })).toMatchObject({ trigger: "always", skippedReason: null });
    const nothing = changedParts({ resources: [], outputs: [] });
    expect(decide([edge()], { changed: nothing })).toMatchObject({ skippedReason: "not_affected" });
  });

  it("lets a declared edge decide over an inferred one, and shows both as evidence", () => {
    const edges = [edge({ dependencyAddress: "aws_vpc.a" }), inferred({ dependencyAddress: "aws_vpc.b" })];
    expect(decide(edges)).toMatchObject({ trigger: "always", evidence: "both" });
    expect(decide([inferred()])).toMatchObject({ trigger: "manual", evidence: "inferred" });
  });

  it.each([
    ["on a cycle", [edge({ onCycle: true })], {}, "on_cycle"],
    ["with one of its edges on a cycle", [edge(), edge({ onCycle: true, dependentAddress: "r.a" })], {}, "on_cycle"],
    ["whose cycles are unknown", [edge({ onCycle: null })], {}, "cycle_unknown"],
    ["over a budget", [edge({ onCycle: null, overBudget: true })], {}, "over_budget"],
    ["that led to the parent", [edge()], { path: ["root", "child", "middle"] }, "in_cascade"],
    ["of a refresh", [edge()], { mode: "refresh" }, "parent_refreshed"],
  ] as const)("makes always manual for a dependent %s", (_, edges, more, demotionReason) => {
    expect(decide([...edges], more as Partial<Applied>)).toMatchObject({
      trigger: "manual",
      demotionReason,
      skippedReason: null,
    });
  });

  it("does not turn a person's never into manual because of a cycle", () => {
    expect(decide([edge({ trigger: "never", onCycle: true })])).toMatchObject({
      trigger: "never",
      demotionReason: null,
      skippedReason: "never_trigger",
    });
  });

  it("triggers nothing of a destroyed parent", () => {
    expect(decide([edge()], { mode: "destroy" })).toMatchObject({ skippedReason: "parent_destroyed" });
  });

  it("ends a cascade that goes on and on", () => {
    expect(decide([edge()], { path: deep(MAX_CASCADE_DEPTH - 1) })).toMatchObject({ skippedReason: null });
    expect(decide([edge()], { path: deep(MAX_CASCADE_DEPTH) })).toMatchObject({ skippedReason: "cascade_too_deep" });
  });

  it("shows three pairs at most, declared ones first, one for the same ends, and counts the rest", () => {
    const at = (n: number) => ({ dependencyAddress: `aws_vpc.v${n}`, dependentAddress: "r.a" });
    const edges = [inferred(at(0)), inferred(at(1)), edge(at(2)), edge(at(3)), inferred(at(3)), inferred(at(4))];
    const { triggeringResources, triggeringRemainder } = decide(edges);
    expect(triggeringResources.map(({ parent, provenance }) => [parent, provenance])).toEqual([
      ["aws_vpc.v2", "declared"],
      ["aws_vpc.v3", "both"],
      ["aws_vpc.v0", "inferred"],
    ]);
    expect(triggeringRemainder).toBe(2);
  });

  it("never leaves a dependent without a reason, and says the same of its edges in any order", () => {
    const anyEdge = fc.record({
      dependentAddress: fc.constantFrom(null, "r.a", "r.b"),
      dependencyAddress: fc.constantFrom(null, "aws_vpc.a", "output.id"),
      trigger: fc.constantFrom("always", "manual", "never"),
      declared: fc.boolean(),
      onCycle: fc.constantFrom(true, false, null),
      overBudget: fc.boolean(),
    });
    const anyApplied = fc.record({
      mode: fc.constantFrom("plan", "destroy", "refresh"),
      changed: fc.constantFrom(UNKNOWN, changedParts({ resources: ["aws_vpc.a"], outputs: [] })),
      path: fc.constantFrom([], ["child"], deep(30)),
    });
    fc.assert(
      fc.property(fc.array(anyEdge, { minLength: 1, maxLength: 6 }), anyApplied, (drawn, more) => {
        const edges = drawn.map((one) => ({ ...one, inferred: !one.declared })) as CascadeEdge[];
        const decision = decide(edges, more as Partial<Applied>);
        const fires = decision.trigger === "always" && decision.skippedReason === null;
        expect(fires || decision.skippedReason !== null || decision.demotionReason !== null).toBe(true);
        expect(fires && waitsForPerson(decision)).toBe(false);
        expect(decide(edges.toReversed(), more as Partial<Applied>)).toEqual(decision);
        expect(decide([...edges, ...edges], more as Partial<Applied>)).toEqual(decision);
      }),
    );
  });
});

describe("decideWaiting", () => {
  const waiting = (more: Partial<Applied> = {}) => decideWaiting(applied(more), "child");

  it("deploys who waits for outputs, whatever changed", () => {
    expect(waiting({ changed: changedParts({ resources: [], outputs: [] }) })).toMatchObject({
      trigger: "always",
      demotionReason: null,
      skippedReason: null,
      evidence: "declared",
    });
    expect(waiting({ mode: "refresh" })).toMatchObject({ trigger: "always", skippedReason: null });
  });

  it.each([
    [{ path: ["child"] }, { trigger: "manual", demotionReason: "in_cascade", skippedReason: null }],
    [{ path: deep(MAX_CASCADE_DEPTH) }, { skippedReason: "cascade_too_deep" }],
  ] as const)("but not after %j", (more, decision) => {
    expect(waiting(more as Partial<Applied>)).toMatchObject(decision);
  });
});
