import { expect, test } from "vitest";
import { parsePlanDocument } from "./planDocument.ts";
import { sensitiveForms } from "./planSensitive.ts";

function hidden(document: object): string[] {
  const plan = parsePlanDocument(JSON.stringify({ format_version: "1.2", ...document }));
  if (plan === null) throw new Error("no plan");
  return asTheyAre(sensitiveForms(plan));
}

/** The texts themselves, without base64 and hex digits of them. */
function asTheyAre(forms: readonly Buffer[]): string[] {
  return forms
    .map(String)
    .filter((form) => form.includes("-"))
    .filter((form) => !/[A-Z0-9]/.test(form))
    .sort();
}

const changed = (side: object, marks: unknown) => ({
  actions: ["update"],
  before: null,
  before_sensitive: false,
  after: side,
  after_sensitive: marks,
});

test("a plan of nothing hides nothing", () => {
  expect(hidden({})).toEqual([]);
  expect(hidden({ variables: null, configuration: [], prior_state: "x", deferred_changes: [null, {}, 1] })).toEqual([]);
});

test("values of changes, drift, outputs and of what is put off are hidden where they are marked", () => {
  const entry = (name: string) => ({
    address: `a.${name}`,
    change: changed({ shown: `shown-${name}`, deep: [{ secret: `secret-${name}` }] }, { deep: [{ secret: true }] }),
  });
  expect(
    hidden({
      resource_changes: [entry("change")],
      resource_drift: [entry("drift")],
      deferred_changes: [{ reason: "unknown", resource_change: entry("deferred") }],
      output_changes: { o: changed({ all: "secret-output" }, true) },
    }),
  ).toEqual(["secret-change", "secret-deferred", "secret-drift", "secret-output"]);
});

test("a change whose marks are only one true hides all of it, whichever side it is on", () => {
  const change = { ...changed({ a: ["in-after"] }, true), before: { b: "in-before" }, before_sensitive: true };
  expect(hidden({ resource_changes: [{ address: "a.b", change }] })).toEqual(["in-after", "in-before"]);
});

test("what data sources read and variables that are declared sensitive are hidden, other variables are not", () => {
  const data = {
    address: "data.vault.x",
    mode: "data",
    type: "vault",
    values: { id: "shown-id", token: "secret-of-data" },
    sensitive_values: { token: true },
  };
  expect(
    hidden({
      prior_state: { values: { root_module: { child_modules: [{ resources: [data] }] } } },
      variables: { secret: { value: { a: ["secret-variable"] } }, plain: { value: "plain-variable" }, odd: null },
      configuration: {
        root_module: { variables: { secret: { sensitive: true }, plain: {}, absent: { sensitive: true } } },
      },
    }),
  ).toEqual(["secret-of-data", "secret-variable"]);
});
