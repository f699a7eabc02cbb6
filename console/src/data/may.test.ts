import { expect, test } from "vitest";
import { mayBy } from "./may.ts";

const grant = (resource_type: string, action: string, resource_pattern: string | null = null) => ({
  ...{ resource_type, action, resource_pattern, authz_group: null },
});

test("a grant allows its type and action, and a star any", () => {
  const may = mayBy([grant("context", "read"), grant("runner", "*")]);
  expect([may("context", "read"), may("context", "update"), may("runner", "delete")]).toEqual([true, false, true]);
  expect(mayBy([grant("*", "*")])("org", "update")).toBe(true);
});

test("a grant on a pattern allows what it meets, and nothing without a name", () => {
  const may = mayBy([grant("runner_group", "update", "eu-*-?")]);
  const names = ["eu-west-1", "eu--1", "us-west-1", "eu-west-10", "eu-west"];
  expect(names.map((name) => may("runner_group", "update", name))).toEqual([true, true, false, false, false]);
  expect([may("runner_group", "update"), may("runner_group", "update", null)]).toEqual([false, true]);
});

test("a grant on a group allows what is asked of a stack in it, and nothing else", () => {
  const may = mayBy([{ ...grant("stack", "update"), authz_group: "team" }]);
  expect([may("stack", "update", "network"), may("stack", "update", null)]).toEqual([false, false]);
  expect([may("stack", "update", "network", ["team"]), may("stack", "update", "network", ["x"])]).toEqual([
    true,
    false,
  ]);
});
