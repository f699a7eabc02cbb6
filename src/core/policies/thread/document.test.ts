import { expect, it } from "vitest";
import { saidOf } from "./document.ts";

const NOTHING = { deny: [], warn: [], approvals: [], error: null, until: null };

it.each<[string, unknown]>([
  ["a list, as of `deny` alone", ["no"]],
  ["a list of nothing", []],
  ["a document without any of its words", { allow: false }],
  ["an empty document", {}],
  ["a text", "deny"],
  ["nothing", null],
  ["a word of another kind", { deny: "no" }],
])("is no answer of a policy: %s", (_, result) =>
  expect(saidOf(result)).toMatchObject({ error: "Its answer is not of the form {deny, warn, approvals}." }),
);

it("needs one of its words, and has others beside them", () => {
  expect(saidOf({ deny: [] })).toEqual(NOTHING);
  expect(saidOf({ warn: ["a", { msg: "b\u001b[2J" }], databases: 3 })).toEqual({ ...NOTHING, warn: ["a", "b [2J"] });
});
