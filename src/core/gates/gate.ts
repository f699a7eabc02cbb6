/**
 * Gates between a plan and its apply. Each belongs to one room, which closes and opens it under the stack's lock; a
 * confirmation only asks whether one is closed. Pure.
 */
import { type ProblemCode, ProblemError } from "../../platform/problems/problem.ts";
import type { PlanSummary } from "../runs/protocol.ts";

/** In the order in which a confirmation asks. */
export const GATES = ["policy", "approvals"] as const;
export type Gate = (typeof GATES)[number];

export function isGate(name: string): name is Gate {
  return (GATES as readonly string[]).includes(name);
}

/** As the database gives it. */
export type ClosedGate = {
  gate: Gate;
  plan_run_id: string;
  /** What a confirmation is answered with, and the public sentences that say why and who can open it. */
  code: ProblemCode;
  detail: string;
};

/** One that closes with the end of its plan. */
export type NewGate = Pick<ClosedGate, "gate" | "code" | "detail"> & {
  /** When its room has to look again, in milliseconds from now; absent: it waits for people as long as they like. */
  dueMs?: number;
  /** Until it is due it is open. */
  openUntilDue?: true;
  /** The service opens it by itself, or says who is needed: until then nobody is called to confirm. */
  unattended?: boolean;
};

/** A plan with changes that waits for nothing yet. The stack is locked. */
export type EndedPlan = {
  orgId: string;
  stackKey: string;
  deploymentId: string;
  planRunId: string;
  mode: string;
  /** Of the stack. */
  labels: Record<string, string>;
  summary: PlanSummary;
};

/** Something besides a person's word is missing for the apply. */
export class GateClosedError extends ProblemError {
  constructor({ code, detail }: Pick<ClosedGate, "code" | "detail">) {
    super({ status: 409, code, detail });
  }
}

/** Those of this plan, in the order in which they are asked about. */
export function closedGates<G extends Pick<ClosedGate, "gate" | "plan_run_id">>(
  gates: readonly G[],
  planRunId: string,
): G[] {
  return GATES.flatMap((name) => gates.filter(({ gate, plan_run_id }) => gate === name && plan_run_id === planRunId));
}

/** @throws GateClosedError with every reason, and the code of the first */
export function requireOpen(gates: readonly ClosedGate[], planRunId: string): void {
  const closed = closedGates(gates, planRunId);
  const [first] = closed;
  if (first) throw new GateClosedError({ code: first.code, detail: closed.map(({ detail }) => detail).join(" ") });
}
