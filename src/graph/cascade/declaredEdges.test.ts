/** A stack that declares what it depends on is affected by that alone, though it reads a state that holds more. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { changedParts } from "../analysis/changedParts.ts";
import { TRIGGERS } from "../analysis/trigger.ts";
import { type Applied, type CascadeEdge, decideDependent, waitsForPerson } from "./decideDependent.ts";

const applied = (...outputs: string[]): Applied => {
  // A state counts as changed when an output does.
  const resources = outputs.length > 0 ? ["terraform.state"] : [];
  return { stackKey: "network", mode: "plan", changed: changedParts({ resources, outputs }), path: [] };
};
const edge = (more: Partial<CascadeEdge>): CascadeEdge => ({
  dependentAddress: null,
  dependencyAddress: "output.vpc_id",
  trigger: "always",
  declared: true,
  inferred: false,
  onCycle: false,
  overBudget: false,
  ...more,
});
const STATE = edge({ dependencyAddress: "terraform.state", trigger: "manual", declared: false, inferred: true });

describe("a stack that declares output.vpc_id and reads the state it is in", () => {
  it.each(TRIGGERS)("with %s is not affected by another output, and no button is offered for it", (trigger) => {
    const decision = decideDependent(applied("zone_id"), "app", [edge({ trigger }), STATE]);
    expect(decision).toMatchObject({ trigger, skippedReason: "not_affected", triggeringResources: [] });
    expect(waitsForPerson(decision)).toBe(false);
  });

  it("follows that output, and both are shown as evidence", () =>
    expect(decideDependent(applied("vpc_id"), "app", [edge({}), STATE])).toMatchObject({
      trigger: "always",
      skippedReason: null,
      evidence: "both",
    }));

  it("and one that only reads the state is a person's to deploy after any output", () =>
    expect(decideDependent(applied("zone_id"), "reports", [STATE])).toMatchObject({
      trigger: "manual",
      skippedReason: "manual_trigger",
      evidence: "inferred",
    }));
});

it("what states tell changes nothing that declarations decide", () => {
  const part = fc.constantFrom(null, "output.vpc_id", "output.zone_id", "terraform.state");
  const declared = fc
    .record({ dependencyAddress: part, trigger: fc.constantFrom(...TRIGGERS), inferred: fc.boolean() })
    .map((more) => edge(more));
  const inferred = part.map((dependencyAddress) => ({ ...STATE, dependencyAddress }));
  const outputs = fc.subarray(["vpc_id", "zone_id", "name"]);
  fc.assert(
    fc.property(fc.array(declared, { minLength: 1 }), fc.array(inferred), outputs, (said, told, changed) => {
      const [alone, beside] = [said, [...said, ...told]].map((all) => decideDependent(applied(...changed), "app", all));
      const decisive = ({ trigger, skippedReason, demotionReason }: typeof alone & object) => [
        trigger,
        skippedReason,
        demotionReason,
      ];
      expect(beside && decisive(beside)).toEqual(alone && decisive(alone));
    }),
  );
});
