import { describe, expect, it } from "vitest";
import { TRIGGERS } from "../analysis/trigger.ts";
import { type RowNow, refusalOf, type StackNow } from "./triggerDependent.ts";

const MADE = "2026-11-28 12:00:00.000001+00";
const STACK: StackNow = {
  repository_url: "https://git.example/r.git",
  branch: "main",
  created_at: MADE,
  deleted_at: null,
};
const ROW: RowNow = {
  trigger: "always",
  dependent_stack_created_at: MADE,
  triggered_deployment_id: null,
  skipped_reason: null,
  error: null,
};
const ACTOR = { id: "codehost:kate:1", kind: "user" } as const;
const dependent = { stack_key: "s", org_id: "o", repository_url: STACK.repository_url, branch: "main" };

const byCascade = (row: Partial<RowNow> | undefined, stack: Partial<StackNow> | undefined = {}) =>
  refusalOf(stack && { ...STACK, ...stack }, row && { ...ROW, ...row }, { dependent, actor: null });
const byPerson = (row: Partial<RowNow> | undefined, stack: Partial<StackNow> | undefined = {}) =>
  refusalOf(stack && { ...STACK, ...stack }, row && { ...ROW, ...row }, { dependent, actor: ACTOR });

describe("a dependent's row", () => {
  it.each(TRIGGERS)("that says %s is for the cascade, for a person or for nobody", (trigger) => {
    expect(byCascade({ trigger })).toBe({ always: null, manual: "not_open", never: "never" }[trigger]);
    expect(byPerson({ trigger })).toBe({ always: null, manual: null, never: "never" }[trigger]);
  });

  it.each<Partial<RowNow>>([{ skipped_reason: "not_affected" }, { error: "There is no such branch." }])(
    "that was settled, as %j, is still a person's to trigger",
    (row) => expect([byCascade(row), byPerson(row)]).toEqual(["not_open", null]),
  );

  it("gives its child once, whoever asks and whatever it says", () => {
    const triggered = { triggered_deployment_id: "d-1", trigger: "never" };
    expect([byCascade(triggered), byPerson(triggered)]).toEqual(["already_triggered", "already_triggered"]);
    expect([byCascade(undefined), byPerson(undefined)]).toEqual(["missing", "missing"]);
  });
});

describe("the dependent stack", () => {
  it.each<[string, Partial<StackNow> | undefined, string | null]>([
    ["is as it was", {}, null],
    ["is deleted", { deleted_at: MADE }, "gone"],
    ["is another of the same id", { created_at: "2026-11-28 12:00:00.000002+00" }, "gone"],
    ["has another repository", { repository_url: "https://git.example/other.git" }, "moved"],
    ["has another branch", { branch: "release" }, "moved"],
  ])("%s", (_, stack, refused) => expect([byCascade({}, stack), byPerson({}, stack)]).toEqual([refused, refused]));

  it("may not be there at all", () => {
    expect(refusalOf(undefined, ROW, { dependent, actor: null })).toBe("gone");
    expect(refusalOf(undefined, undefined, { dependent, actor: null })).toBe("missing");
  });
});
