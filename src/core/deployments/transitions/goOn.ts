/** A plan that waits goes on without anybody's confirmation once nothing keeps it from that any more. Pure. */
import { autoApproval, mayGoByItself } from "../autoApprove.ts";
import type { Change } from "../change.ts";
import { autoApply } from "../decideRunEnd.ts";
import type { Lane } from "../lane.ts";
import { closedOf } from "../laneGates.ts";
import { waitingPlan } from "../possible.ts";
import { rereadMessages, type Via } from "./messages.ts";

/** Null while a gate is closed, and where the stack's policy leaves it to a person anyway. */
export function decideGoOn(lane: Lane, via: Via): Change | null {
  const plan = waitingPlan(lane.runs);
  if (lane.deployment.status !== "waiting" || !mayGoByItself(lane.deployment) || !plan) return null;
  if (closedOf(lane, plan).length > 0) return null;
  const approval = autoApproval(lane.stack.auto_approve_mode, lane.deployment, plan.plan_summary);
  if (!approval.approved) return null;
  return { ...autoApply(lane, plan, approval), stage: "done", messages: rereadMessages(lane, via) };
}
