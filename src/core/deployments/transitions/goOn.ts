/** A plan that waits goes on without anybody's confirmation once nothing keeps it from that any more. Pure. */
import { autoApproval, mayGoByItself } from "../autoApprove.ts";
import type { Change } from "../change.ts";
import type { Lane } from "../lane.ts";
import { closedOf } from "../laneGates.ts";
import { waitingPlan } from "../possible.ts";
import { rereadMessages, type Via } from "./messages.ts";

/** Null while a gate is closed, and where the stack's policy leaves it to a person anyway. */
export function decideGoOn(lane: Lane, via: Via): Change | null {
  const { status, mode } = lane.deployment;
  const plan = waitingPlan(lane.runs);
  if (status !== "waiting" || !mayGoByItself(lane.deployment) || !plan || closedOf(lane, plan).length > 0) return null;
  const policy = lane.stack.auto_approve_mode;
  const approval = autoApproval(policy, lane.deployment, plan.plan_summary);
  if (!approval.approved) return null;
  return {
    deployment: { to: "applying" },
    stage: "done",
    open: { kind: "apply_run", run: { kind: "apply_run", planRunId: plan.id } },
    activity: [{ kind: "auto_applied", actor: null, details: { mode: policy, ...approval.details } }],
    event: { name: "deployment_auto_applied", data: { mode } },
    messages: rereadMessages(lane, via),
  };
}
