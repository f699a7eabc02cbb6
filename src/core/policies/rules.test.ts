import { readFileSync } from "node:fs";
import * as v from "valibot";
import { expect, it } from "vitest";
import { Rules } from "./rules.ts";

const given = (rules: unknown) => v.safeParse(Rules, rules);
const message = (rules: unknown) => given(rules).issues?.[0].message;

it("takes the rules of the manual", () => {
  const manual = readFileSync(new URL("../../../docs/policies.md", import.meta.url), "utf8");
  const [, text = ""] = /```json\n(.*?)```/s.exec(manual) ?? [];
  const parsed = given(JSON.parse(text));
  expect(parsed.issues).toBeUndefined();
  expect(parsed.output).toMatchObject({ max_destroys: 5, attention: [{ count: 2, from: ["role:platform"] }] });
});

it("refuses what says nothing, ends before it begins, or names nobody", () => {
  expect(message({})).toBe("has no rule");
  expect(message({ windows: { time_zone: "Mars/Base", open: [] } })).toContain("time zone");
  const hours = (from: string, to: string) => ({ windows: { time_zone: "UTC", open: [{ days: ["mon"], from, to }] } });
  expect(message(hours("17:00", "09:00"))).toContain("before");
  expect(message(hours("09:00", "25:00"))).toContain("24:00");
  expect(given(hours("00:00", "24:00")).success).toBe(true);
  expect(message({ attention: [{ count: 1, from: ["somebody"], reason: "r" }] })).toContain("role:NAME");
  expect(message({ protected_types: ["a\nb"] })).toContain("control characters");
});
