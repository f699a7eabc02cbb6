import { expect, it } from "vitest";
import { type ClosedGate, closedGates, requireOpen } from "./gate.ts";

const PLAN = "0190a3c2-0000-7000-8000-000000000001";
const gate = (name: ClosedGate["gate"], code: ClosedGate["code"], plan_run_id = PLAN): ClosedGate => ({
  gate: name,
  code,
  plan_run_id,
  detail: `${name} is closed.`,
});
const APPROVALS = gate("approvals", "approvals_missing");
const POLICY = gate("policy", "policy_denied");

it("asks about policies before approvals, and only about this plan", () => {
  const earlier = gate("policy", "policy_denied", "0190a3c2-0000-7000-8000-000000000002");
  expect(closedGates([APPROVALS, POLICY, earlier], PLAN)).toEqual([POLICY, APPROVALS]);
  expect(closedGates([earlier], PLAN)).toEqual([]);
});

it("refuses with the first one's code and every reason", () => {
  expect(() => requireOpen([APPROVALS, POLICY], PLAN)).toThrowError(
    expect.objectContaining({
      status: 409,
      code: "policy_denied",
      detail: "policy is closed. approvals is closed.",
    }),
  );
  expect(() => requireOpen([], PLAN)).not.toThrow();
});
