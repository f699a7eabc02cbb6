/**
 * What the end of a run means for its deployment
 * (docs/rules/runs.md#a-runs-end-and-its-consequence-are-one-transaction). Pure.
 */

import { missingApprovals } from "../approvals/gate.ts";
import type { NewGate } from "../gates/gate.ts";
import { isCancelRequested, isPlanStyle, type RunEnd } from "../runs/lifecycle.ts";
import type { DriftReport, PlanSummary } from "../runs/protocol.ts";
import { type RunnerStatus, runnerStatusAfter } from "../runs/runnerLifecycle.ts";
import { type AutoApproval, autoApproval, mayGoByItself } from "./autoApprove.ts";
import type { Change, RunChange } from "./change.ts";
import { type Lane, type LaneRun, liveRun } from "./lane.ts";
import { type DeploymentStatus, stagePhaseOf, usesLane } from "./lifecycle.ts";

/** How a run ended, from whoever saw it end. */
export type RunEnding = {
  end: RunEnd;
  /** Its own runner, a coordinator that could not start it, or a deadline. */
  seenBy: "runner" | "dispatch" | "timer";
  exitCode?: number | null;
  /** Public text: why it failed. */
  error?: string | null;
  /** Null when the plan could not be measured, which never counts as no changes. */
  planSummary?: PlanSummary | null;
  /** What a refresh found changed outside of the engine; null when its runner does not say. */
  drift?: DriftReport | null;
  planSha256?: string | null;
  treeSha256?: string | null;
  doneSha256?: string | null;
  /** What is between its plan and the apply, besides a person's word. */
  gates?: readonly NewGate[];
  /** Attempts to count at this step (the lapse that reaches the maximum). */
  addAttempts?: number;
};

/**
 * The change that ends `run` and carries its deployment on. After a cancel was requested every end is `cancelled`,
 * except an apply that succeeded: the change is real.
 */
export function decideRunEnd(lane: Lane, run: LaneRun, ending: RunEnding): Change {
  const end = endUnderCancellation(run, ending.end);
  const ended: RunChange = {
    id: run.id,
    from: run.status,
    to: end,
    addAttempts: ending.addAttempts ?? 0,
    exitCode: ending.exitCode ?? null,
    error: ending.error ?? null,
    planSummary: ending.planSummary ?? null,
    drift: end === "success" ? (ending.drift ?? null) : null,
    planSha256: end === "success" ? (ending.planSha256 ?? null) : null,
    treeSha256: end === "success" ? (ending.treeSha256 ?? null) : null,
    doneSha256: ending.doneSha256 ?? null,
    ...runnerOf(run, end, ending.seenBy === "runner"),
  };
  const stage = stagePhaseOf(end);
  if (end === "success") return { run: ended, stage, ...afterSuccess(lane, run, ending) };
  if (end === "cancelled")
    return {
      run: ended,
      stage,
      // Asked for, it needs no reason; that its runner fell silent over it is one.
      deployment: { to: "cancelled", ...(ending.seenBy === "timer" && { error: ending.error ?? null }) },
      event: { name: "deployment_cancelled" },
    };
  // A check that found no runner is made later, and nobody is told.
  const neverStarted = lane.deployment.mode !== "drift" && (end === "startup_timeout" || ending.seenBy === "dispatch");
  const data = { run_status: end };
  return {
    run: ended,
    stage,
    deployment: { to: "failed", error: ending.error ?? null },
    event: { name: "deployment_failed", data },
    ...(neverStarted && { beside: { name: "run_failed_to_start", data } }),
  };
}

function endUnderCancellation(run: LaneRun, end: RunEnd): RunEnd {
  if (!isCancelRequested(run.status)) return end;
  return run.kind === "apply_run" && end === "success" ? "success" : "cancelled";
}

function runnerOf(run: LaneRun, end: RunEnd, byRunner: boolean): { runner?: { id: string; status: RunnerStatus } } {
  if (!run.assigned_runner_id) return {};
  return { runner: { id: run.assigned_runner_id, status: runnerStatusAfter(end, byRunner) } };
}

function afterSuccess(
  lane: Lane,
  run: LaneRun,
  { planSummary: summary = null, error = null, gates = [] }: RunEnding,
): Omit<Change, "run" | "stage"> {
  const { mode } = lane.deployment;
  if (run.kind === "apply_run")
    // What followed the apply may have failed; the apply is a fact.
    return {
      deployment: { to: "finished", applied: true, ...(error && { error }) },
      event: { name: "deployment_succeeded" },
    };
  if (!isPlanStyle(run.kind)) return finished("deployment_succeeded");
  if (!usesLane(mode)) return finished("preview_ready");
  if (summary?.has_changes === false) return finished("deployment_succeeded");
  if (gates.length > 0) return atGates(lane, gates);
  return afterGates(lane, run, summary);
}

/** A plan that nothing but the stack's own policy, or a person, keeps from being applied. */
export function afterGates(lane: Lane, run: LaneRun, summary: PlanSummary | null): Omit<Change, "run" | "stage"> {
  return mayGoByItself(lane.deployment) ? approve(lane, run, summary) : wait(lane);
}

/** People are called once the service knows what it needs them for. */
function atGates(lane: Lane, gates: readonly NewGate[]): Omit<Change, "run" | "stage"> {
  const change = { ...wait(lane), gates };
  if (!gates.some(({ unattended }) => unattended)) return change;
  return { ...change, event: { name: "policy_evaluation_started" } };
}

function finished(name: "deployment_succeeded" | "preview_ready"): Omit<Change, "run" | "stage"> {
  return { deployment: { to: "finished" }, event: { name } };
}

function wait(lane: Lane, activity: Change["activity"] = []): Omit<Change, "run" | "stage"> {
  return {
    deployment: { to: "waiting" },
    open: { kind: "confirmation" },
    activity,
    event: { name: "deployment_waiting_for_confirmation", data: { slug: lane.stack.slug } },
  };
}

/**
 * A plan with changes that the stack's policy applies at once, or that waits for a person with the reason
 * (docs/rules/deployments.md#approval).
 */
function approve(lane: Lane, run: LaneRun, summary: PlanSummary | null): Omit<Change, "run" | "stage"> {
  const { mode } = lane.deployment;
  const policy = lane.stack.auto_approve_mode;
  const approval = autoApproval(policy, lane.deployment, summary);
  const awaited = missingApprovals(lane.approvals, mode, summary) !== null;
  if (!approval.approved || awaited) {
    const reason = approval.approved ? "approvals_missing" : approval.suppressed;
    return wait(
      lane,
      reason ? [{ kind: "auto_approve_suppressed", actor: null, details: { mode: policy, reason } }] : [],
    );
  }
  return autoApply(lane, run, approval);
}

/** The plan is applied without anybody's confirmation. */
export function autoApply(
  { stack, deployment }: Lane,
  plan: LaneRun,
  { details }: Extract<AutoApproval, { approved: true }>,
): Omit<Change, "run" | "stage"> {
  return {
    deployment: { to: "applying" },
    open: { kind: "apply_run", run: { kind: "apply_run", planRunId: plan.id } },
    activity: [{ kind: "auto_applied", actor: null, details: { mode: stack.auto_approve_mode, ...details } }],
    event: { name: "deployment_auto_applied", data: { mode: deployment.mode } },
  };
}

/** The status an ended deployment has when its run is ended by someone's decision: cancel, skip. */
export function endLiveRun(lane: Lane, end: "cancelled" | "discarded"): { run?: RunChange } {
  const run = liveRun(lane);
  if (!run) return {};
  return { run: { id: run.id, from: run.status, to: end, ...runnerOf(run, end, false) } };
}

/** The deployment's status while a run of this kind executes. */
export function statusWhileRunning(kind: LaneRun["kind"]): DeploymentStatus {
  return isPlanStyle(kind) ? "planning" : "applying";
}
