/** assigned -> pending, or the run's end: what becomes of a claim that nobody accepted. Pure. */
import { micros } from "../../../platform/time/time.ts";
import type { Timeouts } from "../../../work/timeouts.ts";
import type { Change } from "../change.ts";
import { decideRunEnd } from "../decideRunEnd.ts";
import type { Lane, LaneRun } from "../lane.ts";
import { runMessages, type Via } from "./messages.ts";

/** Both are milliseconds or counts that an operator sets. */
export type ReturnLimits = Pick<Timeouts, "maxAssignmentAttempts" | "startupDeadlineMs">;

/**
 * Give an assigned run back to its queue. A lapse counts one attempt, a hand-back none; the lapse that reaches
 * RUNNER_MAX_ASSIGNMENT_ATTEMPTS, and any return after RUNNER_STARTUP_DEADLINE, ends the run `startup_timeout`.
 */
export function decideReturn(
  limits: ReturnLimits,
  lane: Lane,
  run: LaneRun,
  cause: "lapse" | "hand_back",
  via: Via,
): Change {
  const addAttempts = cause === "lapse" ? 1 : 0;
  const error = gaveUp(limits, lane, run, addAttempts);
  if (error) {
    const change = decideRunEnd(lane, run, { end: "startup_timeout", seenBy: "timer", error, addAttempts });
    return { ...change, messages: runMessages(lane, run, via) };
  }
  return {
    run: { id: run.id, from: "assigned", to: "pending", addAttempts },
    event: { name: "run_returned", data: { cause } },
    messages: via === "lease" ? [] : [{ kind: "signalLease", runId: run.id, signal: "finished" }],
  };
}

/** Null when the claim is not there any more: the run has gone on, or was claimed again. */
export function decideHandBack(limits: ReturnLimits, lane: Lane, run: LaneRun, claimSeq: number): Change | null {
  if (run.status !== "assigned" || run.claim_seq !== claimSeq) return null;
  return decideReturn(limits, lane, run, "hand_back", "api");
}

function gaveUp(limits: ReturnLimits, lane: Lane, run: LaneRun, attempts: number): string | null {
  if (attempts > 0 && run.assignment_attempts + attempts >= limits.maxAssignmentAttempts) {
    return withProblem(`No runner accepted the run in ${limits.maxAssignmentAttempts} assignments.`, run);
  }
  const startupDeadline = micros(run.first_pending_at ?? lane.now) + limits.startupDeadlineMs * 1000;
  if (micros(lane.now) < startupDeadline) return null;
  return withProblem("No runner started the run before its startup deadline.", run);
}

/** What is known of it is said where people look first. */
export function withProblem(text: string, { accept_problem }: Pick<LaneRun, "accept_problem">): string {
  return accept_problem === null ? text : `${text} The last one that tried was told: ${accept_problem}`;
}
