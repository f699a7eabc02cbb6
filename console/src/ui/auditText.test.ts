import { expect, test } from "vitest";
import { auditText } from "./auditText.ts";

test("details are named in a line, the longest cut and the rest counted", () => {
  expect(auditText({ name: "eu-1", max_runs: 3 })).toBe("name: eu-1 · max runs: 3");
  expect(auditText({ a: 1, b: 2, c: [3], d: null, e: 5, f: 6 })).toBe("a: 1 · b: 2 · c: [3] · d: null · 2 more");
  expect(auditText({ text: "x".repeat(80) })).toBe(`text: ${"x".repeat(60)}…`);
});
