import { expect, test } from "vitest";
import { labelLines, readLabels } from "./labelText.ts";

test("labels are read from lines and written as them", () => {
  const labels = { env: "prod", team: "a=b", plain: "" };
  expect(labelLines(labels)).toBe("env=prod\nteam=a=b\nplain=");
  expect(readLabels(labelLines(labels))).toEqual(labels);
  expect(readLabels("\n  env = prod \n\nplain")).toEqual({ env: "prod", plain: "" });
});
