/** A check for drift that gives way: nobody waits for it, and it is made again later. Pure. */
import { isAccepted } from "../../runs/lifecycle.ts";
import type { Change } from "../change.ts";
import { endLiveRun } from "../decideRunEnd.ts";
import { type Lane, liveRun } from "../lane.ts";
import { isTerminal } from "../lifecycle.ts";
import { isBeingCancelled } from "../possible.ts";
import { rereadMessages, runMessages } from "./messages.ts";

/** Null when it has ended or is being stopped already. One that a runner works on is asked to stop. */
export function decideWithdrawCheck(lane: Lane): Change | null {
  const { mode, status } = lane.deployment;
  if (mode !== "drift" || isTerminal(status) || isBeingCancelled(status)) return null;
  const run = liveRun(lane);
  if (run && isAccepted(run.status)) {
    return {
      run: { id: run.id, from: run.status, to: "requested_cancellation" },
      stage: "requested_cancellation",
      deployment: { to: "requested_cancellation" },
      event: { name: "deployment_cancellation_requested" },
      messages: [{ kind: "signalLease", runId: run.id, signal: "cancelRequested" }, ...rereadMessages(lane, "api")],
    };
  }
  return {
    ...endLiveRun(lane, "cancelled"),
    stage: "cancelled",
    deployment: { to: "cancelled" },
    event: { name: "deployment_cancelled" },
    messages: run ? runMessages(lane, run, "api") : rereadMessages(lane, "api"),
  };
}
