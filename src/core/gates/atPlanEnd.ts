/** Which gates close with the end of a plan that changes something: each room's, in the transaction that ends it. */
import type { Tx } from "../../platform/db/client.ts";
import type { PlanSummary } from "../runs/protocol.ts";
import type { NewGate } from "./gate.ts";

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

type Source = (tx: Tx, plan: EndedPlan) => Promise<NewGate[]>;

/** A room that has a gate adds its question here. */
const SOURCES: readonly Source[] = [];

export async function gatesAtPlanEnd(tx: Tx, plan: EndedPlan): Promise<NewGate[]> {
  const gates: NewGate[] = [];
  for (const source of SOURCES) gates.push(...(await source(tx, plan)));
  return gates;
}
