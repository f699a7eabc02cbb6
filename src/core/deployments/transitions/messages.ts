/**
 * Whom a transition tells. Nothing signals a workflow that made the transition itself, or that has nothing to do about
 * it.
 */
import type { OutboxMessage } from "../../../work/message.ts";
import { isAccepted } from "../../runs/lifecycle.ts";
import type { Lane, LaneRun } from "../lane.ts";

/** Who carries out the transition: the API, or one of the two workflows, which then knows already. */
export type Via = "api" | "deployment" | "lease";

/** After `run` ended: its lease stops, its deployment reads on. A run that nobody claimed has no lease. */
export function runMessages(lane: Lane, run: LaneRun, via: Via): OutboxMessage[] {
  const messages: OutboxMessage[] = [];
  const hasLease = run.status === "assigned" || isAccepted(run.status);
  if (hasLease && via !== "lease") messages.push({ kind: "signalLease", runId: run.id, signal: "finished" });
  if (via !== "deployment")
    messages.push({ kind: "signalDeployment", deploymentId: lane.deployment.id, signal: "runFinished" });
  return messages;
}

/** After a transition outside the deployment's workflow that has no signal of its own. */
export function rereadMessages(lane: Lane, via: Via): OutboxMessage[] {
  if (via === "deployment") return [];
  return [{ kind: "signalDeployment", deploymentId: lane.deployment.id, signal: "reread" }];
}
