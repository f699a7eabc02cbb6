import { expect, test } from "vitest";
import { parsePlanDocument } from "./planDocument.ts";
import { makesSensitive } from "./sensitiveToCome.ts";

function plan(unknown: unknown, marks: unknown, of: "resource" | "output" | "action" = "resource") {
  const change = { actions: ["create"], after_unknown: unknown, after_sensitive: marks };
  return parsePlanDocument(
    JSON.stringify({
      format_version: "1.2",
      resource_changes: of === "resource" ? [{ address: "a.b", change }] : [],
      output_changes: of === "output" ? { o: change } : {},
      action_invocations: of === "action" ? [{ address: "x.y", config_unknown: unknown, config_sensitive: marks }] : [],
    }),
  );
}

test.each([
  [{ id: true }, { input: true }, false],
  [{ id: true, input: true }, { input: true }, true],
  [{ input: true }, { input: { a: true } }, true],
  [{ input: { a: true } }, { input: true }, true],
  [{ input: { a: true } }, { input: { b: true } }, false],
  [{ set: [{ a: true }] }, { set: [{}, { a: true }] }, true],
  [{ set: [{ a: true }] }, { set: [{}] }, false],
  [{ constructor: true }, {}, false],
  [false, true, false],
  [true, true, true],
])("unknown %j with marks %j: %s", (unknown, marks, expected) => {
  for (const one of ["resource", "output", "action"] as const) {
    expect(makesSensitive(plan(unknown, marks, one))).toBe(expected);
  }
});

test("a plan that nobody can read counts as one that makes some", () => {
  expect(makesSensitive(null)).toBe(true);
});
