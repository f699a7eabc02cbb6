import { expect, test } from "vitest";
import type { PlanChange } from "../../../clients/plan/change.ts";
import { parseExact } from "../../../clients/plan/exactJson.ts";
import { reasonText } from "../../../clients/plan/reasons.ts";
import { shortText, summaryOf } from "./summary.ts";

const change = (action: PlanChange["action"], before: unknown, after: unknown, more: Partial<PlanChange> = {}) =>
  summaryOf({
    kind: "resource",
    address: "a.b",
    type: "a",
    provider: "p",
    action,
    actions: [],
    before,
    after,
    ...more,
  });

test("a change says its first values and how many more there are", () => {
  const before = { ingress: [{ cidr: ["10.0.0.0/8"] }], x: 1, y: 1 };
  const after = { ingress: [{ cidr: ["0.0.0.0/0"] }], x: 2, y: 2 };
  expect(change("change", before, after)).toEqual({
    note: null,
    values: [
      { path: "ingress[0].cidr", before: '"10.0.0.0/8"', after: '"0.0.0.0/0"' },
      { path: "x", before: "1", after: "2" },
    ],
    more: 1,
  });
});

test("a replacement says what forces it first, and not what is new by itself", () => {
  const before = { arn: "a", version: "13", id: "i" };
  const after = { arn: "(known after apply)", version: "14", id: "(known after apply)" };
  const forced = change("replace", before, after, {
    replace_paths: [["version"]],
    reason: "replace_because_cannot_update",
  });
  expect(forced.note).toBe("forces replacement: version");
  expect(forced.values).toEqual([{ path: "version", before: '"13"', after: '"14"' }]);
  expect(change("replace", before, after, { reason: "replace_because_tainted" }).note).toContain("tainted");
});

test("what comes and what goes says its name, its reason and where it was before", () => {
  expect(change("add", null, { name: "web", size: 3 }).values).toEqual([
    { path: "name", before: null, after: '"web"' },
  ]);
  expect(change("destroy", { id: "i-1" }, null, { reason: "delete_because_each_key" })).toEqual({
    note: "its key is no longer in for_each",
    values: [{ path: "id", before: '"i-1"', after: null }],
    more: 0,
  });
  expect(change("move", { a: 1 }, { a: 1 }, { previous_address: "a.old" }).note).toBe("moved from a.old");
  expect(reasonText("replace_because_moon")).toBe("replace because moon");
});

test("long texts keep both ends, numbers keep their digits, a sensitive value says that it is another", () => {
  expect(shortText(`${"a".repeat(50)}${"b".repeat(50)}`)).toMatch(/^"a+…b+"$/);
  expect(shortText(parseExact("[9223372036854773263]"))).toBe("[9223372036854773263]");
  const sides = { password: "(sensitive value)" };
  expect(change("change", sides, sides, { hidden_changes: [["password"]] }).values[0]).toEqual({
    path: "password",
    before: "(sensitive value)",
    after: "(sensitive value, another one)",
  });
});
