/** What is closed between a lane's plan and its apply: gates with a row, and approvals, which are judged anew. Pure. */
import { approvalsGate, missingApprovals } from "../approvals/gate.ts";
import { type ClosedGate, closedGates } from "../gates/gate.ts";
import type { Lane, LaneRun } from "./lane.ts";

/** In the order in which a confirmation asks. `plan` is the one that waits. */
export function closedOf(
  { deployment, gates, approvals }: Pick<Lane, "deployment" | "gates" | "approvals">,
  plan: Pick<LaneRun, "id" | "plan_summary">,
): ClosedGate[] {
  const missing = missingApprovals(approvals, deployment.mode, plan.plan_summary);
  return closedGates([...gates, ...(missing ? [approvalsGate(missing, plan.id)] : [])], plan.id);
}
