/** How a deployment is cancelled: at once where nothing runs, through its runner where something does. Pure. */
import type { Actor } from "../../../work/domainEvent.ts";
import { isAccepted } from "../../runs/lifecycle.ts";
import type { Change, DecisionEffect } from "../change.ts";
import { endLiveRun } from "../decideRunEnd.ts";
import { CancelFirstError, InvalidTransitionError } from "../errors.ts";
import { type Lane, type LaneRun, liveRun } from "../lane.ts";
import { isTerminal } from "../lifecycle.ts";
import { isBeingCancelled } from "../possible.ts";
import { rereadMessages, runMessages, type Via } from "./messages.ts";

/**
 * A repeat, and a cancel of what is cancelled, are done without effect.
 * @throws InvalidTransitionError, CancelFirstError
 */
export function decideCancel(lane: Lane, actor: Actor, force: boolean, via: Via): DecisionEffect {
  const { status } = lane.deployment;
  if (force) return isBeingCancelled(status) ? forceCancel(lane, actor, via) : refuseForce(status);
  if (status === "cancelled" || isBeingCancelled(status)) return { change: null };
  if (isTerminal(status)) throw new InvalidTransitionError("cancel", status);
  const run = liveRun(lane);
  const change = run && isAccepted(run.status) ? askToStop(lane, run, actor, via) : endAtOnce(lane, actor, via);
  return { change };
}

/** A run that a runner works on is asked to stop: the engine must release its state lock itself. */
function askToStop(lane: Lane, run: LaneRun, actor: Actor, via: Via): Change {
  return {
    run: { id: run.id, from: run.status, to: "requested_cancellation" },
    stage: "requested_cancellation",
    deployment: { to: "requested_cancellation" },
    activity: [{ kind: "cancellation_requested", actor }],
    event: { name: "deployment_cancellation_requested", actor },
    messages: [{ kind: "signalLease", runId: run.id, signal: "cancelRequested" }, ...rereadMessages(lane, via)],
  };
}

/** Deployment, stage and run end in this very answer: nothing runs, or nobody waits for what does. */
export function endAtOnce(lane: Lane, actor: Actor, via: Via): Change {
  const run = liveRun(lane);
  return {
    ...endLiveRun(lane, "cancelled"),
    stage: "cancelled",
    deployment: { to: "cancelled" },
    activity: [{ kind: "cancellation_requested", actor }],
    event: { name: "deployment_cancelled", actor },
    messages: run ? runMessages(lane, run, via) : rereadMessages(lane, via),
  };
}

function forceCancel(lane: Lane, actor: Actor, via: Via): DecisionEffect {
  const run = liveRun(lane);
  const change: Change = {
    ...endLiveRun(lane, "cancelled"),
    stage: "cancelled",
    deployment: { to: "cancelled" },
    activity: [{ kind: "cancellation_requested", actor, details: { force: true } }],
    event: { name: "deployment_cancelled", actor, data: { force: true } },
    messages: run ? runMessages(lane, run, via) : [],
  };
  return {
    change,
    warning: "The lane was released, but the runner's engine may still be working on the infrastructure.",
  };
}

function refuseForce(status: Lane["deployment"]["status"]): DecisionEffect {
  if (status === "cancelled") return { change: null };
  if (isTerminal(status)) throw new InvalidTransitionError("cancel", status);
  throw new CancelFirstError();
}
