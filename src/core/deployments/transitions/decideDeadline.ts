/**
 * What a deadline that came due does to a deployment or to its run. Pure: which one is due is read from the database.
 */
import { missingApprovals } from "../../approvals/gate.ts";
import type { Change } from "../change.ts";
import { decideRunEnd, endLiveRun, type RunEnding } from "../decideRunEnd.ts";
import { type Lane, type LaneRun, liveRun } from "../lane.ts";
import { usesLane } from "../lifecycle.ts";
import { waitingPlan } from "../possible.ts";
import { decideReturn, type ReturnLimits, withProblem } from "./decideReturn.ts";
import { runMessages } from "./messages.ts";

export type RunDeadline = "lease" | "max_run_duration" | "inactive" | "silent_cancellation";
export type DeploymentDeadline =
  | "queued_timeout"
  | "confirmation_timeout"
  | "superseded"
  | "startup"
  | ApprovalDeadline;
type ApprovalDeadline = "approval_timeout" | "approval_reminder";

const ENDINGS: Record<Exclude<RunDeadline, "lease">, RunEnding> = {
  inactive: { end: "failure", seenBy: "timer", error: "The runner was silent for longer than the execution timeout." },
  silent_cancellation: {
    end: "cancelled",
    seenBy: "timer",
    error: "The runner did not answer the cancellation in time.",
  },
  max_run_duration: { end: "timed_out", seenBy: "timer", error: "The run took longer than it may." },
};

/** As the run's lease carries it out. */
export function decideRunDeadline(limits: ReturnLimits, lane: Lane, run: LaneRun, due: RunDeadline): Change {
  if (due === "lease") return decideReturn(limits, lane, run, "lapse", "lease");
  return { ...decideRunEnd(lane, run, ENDINGS[due]), messages: runMessages(lane, run, "lease") };
}

/**
 * As the deployment's own workflow carries it out, so that nobody has to tell it. Null: there is nothing left to end.
 */
export function decideDeploymentDeadline(limits: ReturnLimits, lane: Lane, due: DeploymentDeadline): Change | null {
  if (due === "startup") return passStartup(limits, lane);
  return due === "approval_reminder" ? remind(lane) : autoSkip(lane, due);
}

/** Whoever could approve it hears of it again; it goes on waiting. */
function remind(lane: Lane): Change | null {
  const plan = waitingPlan(lane.runs);
  const awaited = plan && missingApprovals(lane.approvals, lane.deployment.mode, plan.plan_summary);
  if (!awaited) return null;
  return { reminded: true, event: { name: "approvals_awaited", data: { missing: awaited.missing.length } } };
}

function passStartup(limits: ReturnLimits, lane: Lane): Change | null {
  const run = liveRun(lane);
  if (!run) return null;
  // The lease lapsed together with the deadline: its return ends it, whichever timer is first.
  if (run.status === "assigned") return decideReturn(limits, lane, run, "lapse", "deployment");
  const error = withProblem("No runner started the run before its startup deadline.", run);
  const change = decideRunEnd(lane, run, { end: "startup_timeout", seenBy: "timer", error });
  return { ...change, messages: runMessages(lane, run, "deployment") };
}

function autoSkip(lane: Lane, reason: Exclude<DeploymentDeadline, "startup" | "approval_reminder">): Change {
  return {
    ...endLiveRun(lane, "discarded"),
    stage: "skipped",
    deployment: { to: "skipped", skippedReason: reason },
    event: {
      name: usesLane(lane.deployment.mode) ? "deployment_auto_skipped" : "preview_auto_skipped",
      data: { skipped_reason: reason },
    },
  };
}
