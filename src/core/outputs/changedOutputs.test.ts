import { expect, test } from "vitest";
import { changedOutputs } from "./changedOutputs.ts";

const values = (outputs: Record<string, string>) => Object.entries(outputs).map(([name, value]) => ({ name, value }));

test.each([
  ["nothing", { a: "1", b: "2" }, { b: "2", a: "1" }, []],
  ["another value", { a: "1", b: "2" }, { a: "3", b: "2" }, ["a"]],
  ["other digits", { a: "1" }, { a: "1.0" }, ["a"]],
  ["one that came and one that went", { a: "1" }, { b: "1" }, ["b", "a"]],
  ["the first ones", {}, { a: "1" }, ["a"]],
] as const)("%s", (_what, before, after, names) => {
  expect(changedOutputs(values(before), values(after))).toEqual(names);
});

test("what is unknown on one side cannot be compared", () => {
  expect(changedOutputs(null, [])).toBeNull();
  expect(changedOutputs([], null)).toBeNull();
});
