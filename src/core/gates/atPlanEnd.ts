/** Which gates close with the end of a plan that changes something: each room's, in the transaction that ends it. */
import type { Tx } from "../../platform/db/client.ts";
import type { EndedPlan, NewGate } from "./gate.ts";
import { policyGate } from "./policyGate.ts";

type Source = (tx: Tx, plan: EndedPlan) => Promise<NewGate[]>;

/** A room that has a gate adds its question here. */
const SOURCES: readonly Source[] = [policyGate];

export async function gatesAtPlanEnd(tx: Tx, plan: EndedPlan): Promise<NewGate[]> {
  const gates: NewGate[] = [];
  for (const source of SOURCES) gates.push(...(await source(tx, plan)));
  return gates;
}
