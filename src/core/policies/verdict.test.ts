import { expect, it } from "vitest";
import type { PolicyResult } from "./result.ts";
import { denial, verdictOf } from "./verdict.ts";

const RESULT: PolicyResult = {
  policy_id: "0190a3c2-0000-7000-8000-000000000001",
  name: "p",
  version: 1,
  digest: "d",
  enforcement: "mandatory",
  exemption: null,
  deny: [],
  warn: [],
  approvals: [],
  error: null,
  until: null,
  duration_ms: 1,
};
const EXEMPTION = { id: "0190a3c2-0000-7000-8000-000000000002", reason: "r", ends_at: "2026-12-01T00:00:00Z" };
const outcome = (...results: Partial<PolicyResult>[]) =>
  verdictOf(results.map((result) => ({ ...RESULT, ...result }))).outcome;

it("is denied by a mandatory policy that denies or cannot be evaluated, and by nothing else", () => {
  expect(outcome()).toBe("passed");
  expect(outcome({}, { deny: ["no"] })).toBe("denied");
  expect(outcome({ error: "It took too long." })).toBe("denied");
  expect(outcome({ deny: ["no"], enforcement: "advisory" })).toBe("warned");
  expect(outcome({ error: "broken", enforcement: "advisory" })).toBe("warned");
  expect(outcome({ warn: ["hm"] })).toBe("warned");
  expect(outcome({ deny: ["no"], warn: ["hm"], error: "broken", enforcement: "shadow" })).toBe("passed");
  expect(outcome({ deny: ["no"], warn: ["hm"], exemption: EXEMPTION })).toBe("passed");
});

it("asks for approvals of mandatory policies that count, and looks again at the first hour", () => {
  const approvals = [{ count: 2, from: [], reason: "r" }];
  const verdict = verdictOf([
    { ...RESULT, name: "a", approvals, until: "2026-12-02T00:00:00Z" },
    { ...RESULT, approvals, enforcement: "advisory", until: "2026-11-01T00:00:00Z" },
    { ...RESULT, approvals, exemption: EXEMPTION },
  ]);
  expect(verdict.approvals).toEqual([{ name: "a", count: 2, from: [], reason: "r" }]);
  expect(verdict.until).toEqual(new Date("2026-12-01T00:00:00Z"));
});

it("says which policies deny and why, and who can end it, in a text that has an end", () => {
  const { code, detail } = denial([
    { ...RESULT, name: "databases", deny: ["db.x would be lost."] },
    { ...RESULT, name: "hours", error: "It took longer than a policy may." },
    { ...RESULT, name: "advice", enforcement: "advisory", deny: ["never mind"] },
  ]);
  expect(code).toBe("policy_denied");
  expect(detail).toMatch(
    /^Denied by policy databases: db\.x would be lost\. hours: it could not be evaluated\. It took .* \(policy, override\) override them\.$/,
  );
  expect(detail).not.toContain("never mind");
  const many = Array.from({ length: 50 }, (_, at) => ({ ...RESULT, name: `p${at}`, deny: ["x".repeat(1_000)] }));
  expect(denial(many).detail.length).toBeLessThan(3_500);
  expect(denial(many).detail).toContain("And 40 further policies.");
});
