/**
 * Names that users choose, read by everything that reads an engine's document, a context or a label: none is lost or
 * confused.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { changesSection, dependenciesSection } from "../analysis/analysisDocument.ts";
import { CommentScanner } from "../analysis/commentScanner.ts";
import { shownChanges } from "./planChanges.ts";
import { type PlanDocument, parsePlanDocument } from "./planDocument.ts";
import { sensitiveForms } from "./planSensitive.ts";
import { summarizePlan } from "./planSummary.ts";
import { sensitiveFormsOfState } from "./stateSensitive.ts";

const INHERITED = [
  "__proto__",
  "constructor",
  "prototype",
  "hasOwnProperty",
  "toString",
  "valueOf",
  "__defineGetter__",
];
const name = fc.oneof(fc.constantFrom(...INHERITED), fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_-]{0,9}$/));
const names = fc.uniqueArray(name, { minLength: 1, maxLength: 6 });

/** An object that has each name itself, as a document that is read has. */
const keyed = <T>(keys: readonly string[], value: (key: string, index: number) => T): Record<string, T> =>
  Object.fromEntries(keys.map((key, index) => [key, value(key, index)]));

function read(document: object): PlanDocument {
  const plan = parsePlanDocument(JSON.stringify({ format_version: "1.2", ...document }));
  if (plan === null) throw new Error("no plan");
  return plan;
}

const asIs = (text: string) => text;
const always = (check: (keys: string[]) => void) => fc.assert(fc.property(names, check), { numRuns: 200 });
/** The texts themselves, without base64 and hex digits of them. */
const asTheyAre = (forms: readonly Buffer[]) =>
  forms
    .map(String)
    .filter((form) => form.startsWith("secret-value-"))
    .sort();
const secret = (index: number) => `secret-value-${index}`;

describe("whatever names users choose", () => {
  test("each output that changes is counted as a change, shown and listed", () =>
    always((keys) => {
      const output_changes = keyed(keys, (_, index) => ({ actions: ["create"], before: null, after: index }));
      const plan = read({ output_changes });
      expect(summarizePlan(plan, "plan_run").has_changes).toBe(true);
      expect(shownChanges(plan, asIs).map(({ address }) => address)).toEqual(
        Object.keys(output_changes).map((key) => `output.${key}`),
      );
      expect(changesSection(plan, false, asIs)?.outputs).toEqual([...keys].sort());
    }));

  test("each sensitive output, variable and attribute is hidden", () =>
    always((keys) => {
      const expected = keys.map((_, index) => secret(index)).sort();
      const marked = {
        before: null,
        after: keyed(keys, (_, index) => secret(index)),
        after_sensitive: keyed(keys, () => true),
      };
      const documents = [
        {
          output_changes: keyed(keys, (_, index) => ({
            actions: ["create"],
            after: secret(index),
            after_sensitive: true,
          })),
        },
        { resource_changes: [{ address: "a.b", change: { actions: ["create"], ...marked } }] },
        {
          variables: keyed(keys, (_, index) => ({ value: secret(index) })),
          configuration: { root_module: { variables: keyed(keys, () => ({ sensitive: true })) } },
        },
      ];
      for (const document of documents) expect(asTheyAre(sensitiveForms(read(document)))).toEqual(expected);
      const outputs = keyed(keys, (_, index) => ({ sensitive: true, value: secret(index) }));
      const state = JSON.parse(JSON.stringify({ values: { outputs } }));
      expect(asTheyAre(sensitiveFormsOfState(state))).toEqual(expected);
    }));

  test("each attribute of a change is shown with its own value, known or not", () =>
    always((keys) => {
      const [first = "a", ...others] = keys;
      const after = keyed(others, (_, index) => index);
      const change = {
        actions: ["create"],
        before: null,
        after,
        after_unknown: keyed([first], () => ({ [first]: true })),
      };
      const [shown] = shownChanges(read({ resource_changes: [{ address: "a.b", change }] }), asIs);
      expect(Object.keys(shown?.after as object).sort()).toEqual([...keys].sort());
      const unknown = Object.getOwnPropertyDescriptor(shown?.after, first)?.value;
      expect(JSON.stringify(unknown)).toBe(JSON.stringify(keyed([first], () => "(known after apply)")));
    }));

  test("an action the engine may invent by such a name is an unknown one", () =>
    always(([action = ""]) => {
      const plan = read({ resource_changes: [{ address: "a.b", change: { actions: [action] } }] });
      const known = ["create", "update", "delete", "forget", "read"].includes(action);
      expect(summarizePlan(plan, "plan_run").counts === null).toBe(!known);
    }));

  test("a label that a stack does not have is missing in a comment's template, and one it has is read", () =>
    always(([label = "", ...others]) => {
      const scan = (labels: Record<string, string>) => {
        const scanner = new CommentScanner({ id: "s", name: "s", labels });
        const { line, end } = scanner.file("main.tf");
        line(`# svc:dependency: from_stack_tpl="{{ .stack.Labels.${label} }}" trigger=always`);
        end();
        return dependenciesSection(scanner, asIs);
      };
      expect(scan(keyed(others, () => "x")).errors).toHaveLength(1);
      expect(JSON.stringify(scan(keyed([label], () => "network")))).toContain("network");
    }));
});
