import { expect, test } from "vitest";
import { linesOf, variablesOf } from "./variables.ts";

test("a stored secret is sent without a value unless another was typed", () => {
  const lines = [
    { name: "REGION", value: "eu", secret: false, isStored: false },
    { name: "TOKEN", value: "", secret: true, isStored: true },
    { name: "KEY", value: "new", secret: true, isStored: true },
    { name: " EMPTY ", value: "", secret: false, isStored: false },
    { name: "", value: "x", secret: false, isStored: false },
  ];
  expect(variablesOf(lines)).toEqual([
    { name: "REGION", secret: false, value: "eu" },
    { name: "TOKEN", secret: true },
    { name: "KEY", secret: true, value: "new" },
    { name: "EMPTY", secret: false, value: "" },
  ]);
});

test("a secret that is made a plain variable needs a value anew", () => {
  expect(variablesOf([{ name: "TOKEN", value: "", secret: false, isStored: true }])).toEqual([
    { name: "TOKEN", secret: false, value: "" },
  ]);
  expect(linesOf(null)).toEqual([]);
});
