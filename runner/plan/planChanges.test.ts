import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { textMasker } from "../output/masking.ts";
import { shownChanges } from "./planChanges.ts";
import { type PlanDocument, parsePlanDocument } from "./planDocument.ts";
import { sensitiveForms } from "./planSensitive.ts";

function real(name: string): PlanDocument {
  const document = parsePlanDocument(readFileSync(path.join(import.meta.dirname, "testdata", `${name}.json`), "utf8"));
  if (document === null) throw new Error(`${name} is no plan`);
  return document;
}

const asIs = (text: string) => text;

describe("shownChanges", () => {
  test("values the engine marks sensitive are replaced and their neighbours stay", () => {
    const document = real("sensitive-update");
    // Terraform marks `input` here but not the computed `output`, which holds the same password. The sensitive output
    // holds the word "public" too, so that goes as well: better too much than too little.
    expect(JSON.stringify(shownChanges(document, asIs))).toContain("hunter2");
    const shown = shownChanges(document, textMasker(sensitiveForms(document)));
    expect(JSON.stringify(shown)).not.toContain("hunter2");
    expect(shown).toEqual([
      {
        kind: "resource",
        address: "terraform_data.login",
        type: "terraform_data",
        provider: "terraform.io/builtin/terraform",
        action: "change",
        actions: ["update"],
        before: expect.objectContaining({
          input: {
            empty: {},
            login: "(sensitive value)",
            tags: ["***", "(sensitive value)"],
            user: "admin",
          },
          output: expect.objectContaining({ login: "***", tags: ["***", "***"], user: "admin" }),
        }),
        after: expect.objectContaining({
          input: expect.objectContaining({ login: "(sensitive value)", user: "root", empty: {} }),
          output: "(known after apply)",
        }),
      },
      {
        kind: "output",
        address: "output.login",
        type: "output",
        provider: "",
        action: "change",
        actions: ["update"],
        before: "(sensitive value)",
        after: "(sensitive value)",
      },
    ]);
  });

  test("what is only known after the apply says so, and what does not exist is null", () => {
    const [created] = shownChanges(real("sensitive"), asIs);
    expect(created).toMatchObject({ before: null, after: { id: "(known after apply)" } });
    expect(JSON.stringify(shownChanges(real("sensitive"), asIs))).not.toContain("hunter2");
  });

  test("lists what changes, moves, is imported or drifted, and nothing else", () => {
    const actions = (name: string) =>
      Object.fromEntries(
        shownChanges(real(name), asIs).map((entry) => [
          `${entry.kind} ${entry.address}`,
          [entry.action, ...entry.actions],
        ]),
      );
    expect(actions("mixed")).toEqual({
      "resource terraform_data.added": ["add", "create"],
      "resource terraform_data.destroyed": ["destroy", "delete"],
      "resource terraform_data.forgotten": ["forget", "forget"],
      "resource terraform_data.imported": ["import", "no-op"],
      "resource terraform_data.new_name": ["move", "no-op"],
      "resource terraform_data.replaced": ["replace", "delete", "create"],
      "resource terraform_data.replaced_create_first": ["replace", "create", "delete"],
      "resource terraform_data.updated": ["change", "update"],
    });
    expect(actions("drift-refresh-only")).toEqual({ "drift local_file.gone": ["destroy", "delete"] });
    expect(actions("outputs-only")).toEqual({ "output output.note": ["change", "update"] });
    expect(actions("nothing")).toEqual({});
  });

  test("a value too large to be shown is left out, its neighbours and an action nobody knows are not", () => {
    const document = real("mixed");
    const [first] = document.resource_changes.filter((entry) => entry.change.actions.includes("create"));
    const change = { actions: ["conjure"], before: { small: 1 }, after: { file: "x".repeat(300_000) } };
    const [shown] = shownChanges({ ...document, resource_changes: [{ ...first!, change }] }, asIs);
    expect(shown).toMatchObject({ action: "other", before: { small: 1 } });
    expect(shown?.after).toBe("(too large to show: 300011 characters)");
  });

  test("the run's own secrets are masked in values, keys and addresses that the engine does not mark", () => {
    const document = real("mixed");
    const secret = "top-secret-value";
    const [first] = document.resource_changes.filter((entry) => entry.change.actions.includes("create"));
    const change = { ...first!.change, before: null, after: { [secret]: [`x ${secret}`] }, after_unknown: {} };
    const planted = { ...document, resource_changes: [{ ...first!, address: `a.b["${secret}"]`, change }] };
    const [shown] = shownChanges(planted, textMasker([Buffer.from(secret)]));
    expect(shown).toMatchObject({ address: 'a.b["***"]', after: { "***": ["x ***"] } });
  });
});

test("numbers are shown with the digits that are applied, in both sides and in outputs", () => {
  const numbers = "[9223372036854773263,0.1234567890123456789]";
  const change = `{"actions":["update"],"before":${numbers},"after":{"deep":${numbers}}}`;
  const plan = `{"format_version":"1.2","resource_changes":[{"address":"a.b","change":${change}}],"output_changes":{"n":${change}}}`;
  const shown = shownChanges(parsePlanDocument(plan) as PlanDocument, asIs).map((each) => JSON.stringify(each));
  for (const each of shown) expect(each.split(numbers)).toHaveLength(3);
  expect(shown).toHaveLength(2);
});

test("an action is shown with what invokes it and its configuration, its secrets hidden", () => {
  const document = real("actions");
  const shown = shownChanges(document, textMasker(sensitiveForms(document)));
  expect(shown.at(-1)).toEqual({
    kind: "action",
    address: "action.local_command.note",
    triggered_by: "terraform_data.a",
    type: "local_command",
    provider: "demo.test/hashicorp/local",
    action: "invoke",
    actions: ["invoke"],
    before: null,
    after: expect.objectContaining({ arguments: ["hello", "(sensitive value)", "(known after apply)"] }),
  });
  expect(sensitiveForms(document).map(String)).toContain("hush-hush-secret");
  expect(shownChanges(real("action-alone"), asIs)).toMatchObject([{ kind: "action", action: "invoke" }]);
});
