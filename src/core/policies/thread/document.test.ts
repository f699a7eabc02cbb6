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

it("has words that can be stored and shown, whatever they hold, and as many as people read", () => {
  const odd = "role:plat\u0000\ud800\u001b[2Jform";
  const { approvals, deny, error } = saidOf({
    deny: Array.from({ length: 1_000 }, () => `${odd}${"x".repeat(2_000)}`),
    approvals: [{ count: 1, from: [odd], reason: odd }],
  });
  expect([error, deny.length, deny.join("").length <= 10_000]).toEqual([null, 10, true]);
  for (const text of [...deny, approvals[0]?.reason, approvals[0]?.from[0]])
    expect(text).toMatch(/^role:plat \ufffd \[2Jform/);
  const names = Array.from({ length: 20 }, () => "n".repeat(300));
  expect(saidOf({ approvals: [{ count: 1, from: names, reason: "" }] }).error).toBeNull();
  const many = Array.from({ length: 20 }, () => ({ count: 1, from: names, reason: "" }));
  expect(saidOf({ approvals: many }).error).not.toBeNull();
});

it("needs one of its words, and has others beside them", () => {
  expect(saidOf({ deny: [] })).toEqual(NOTHING);
  expect(saidOf({ warn: ["a", { msg: "b\u001b[2J" }], databases: 3 })).toEqual({ ...NOTHING, warn: ["a", "b [2J"] });
});
