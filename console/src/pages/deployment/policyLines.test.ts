import { expect, it } from "vitest";
import type { PolicyResult } from "../../data/types.ts";
import { linesOf } from "./policyLines.ts";

const RESULT: PolicyResult = {
  policy_id: "p",
  name: "databases",
  version: 2,
  digest: "d",
  enforcement: "mandatory",
  exemption: null,
  deny: ["aws_db.x would be lost."],
  warn: [],
  approvals: [],
  error: null,
  until: null,
  duration_ms: 1,
};
const texts = (...results: Partial<PolicyResult>[]) =>
  linesOf(results.map((result) => ({ ...RESULT, ...result }))).map(({ text }) => text);

it("says who denies and why, what is only advice, and leaves out what counts for nobody", () => {
  expect(texts({}, { enforcement: "advisory" }, { enforcement: "shadow" })).toEqual([
    "denies it: aws_db.x would be lost.",
    "advises against it: aws_db.x would be lost.",
  ]);
});

it("says that a policy could not be evaluated, who must look, and who is exempt", () => {
  expect(texts({ deny: [], error: "It took too long." })).toEqual([
    "denies it: could not be evaluated: It took too long.",
  ]);
  expect(
    texts({ deny: [], approvals: [{ count: 2, from: ["role:platform"], reason: "many" }], warn: ["odd"] }),
  ).toEqual(["warns: odd", "asks for 2 approvals from role:platform: many"]);
  const exemption = { id: "e", reason: "migration", ends_at: "2026-12-01T00:00:00Z" };
  expect(texts({ exemption }, { exemption, deny: [] })).toEqual([
    "does not count here until 2026-12-01T00:00:00Z: migration",
  ]);
});
