/** What a runner's or a coordinator's report does to the run it names. Pure; `report.ts` reads, writes and answers. */
import { createHash } from "node:crypto";
import * as v from "valibot";
import type { NewGate } from "../../gates/gate.ts";
import { isAccepted, isPlanStyle, isRunTerminal } from "../../runs/lifecycle.ts";
import { type DoneBody, DriftReport, PlanSummary } from "../../runs/protocol.ts";
import type { Change } from "../change.ts";
import { decideRunEnd } from "../decideRunEnd.ts";
import type { Lane, LaneRun } from "../lane.ts";
import { usesLane } from "../lifecycle.ts";
import { runMessages } from "./messages.ts";

type RefusalCode = "run_already_terminal" | "plan_artifact_missing" | "invalid_transition";

/** `stored` also when exactly that was stored before. `why` is public text. */
export type ReportOutcome = { outcome: "stored" } | { outcome: "refused"; code: RefusalCode; why: string };

export type ReportDecision = { outcome: ReportOutcome; change: Change | null };

/** The end of a run as its runner told it. */
export type Done = { body: DoneBody; sha256: string };

const STORED = { outcome: "stored" } as const;

/** The same report has the same digest however it was written: JSON with sorted keys. */
export function doneOf(body: DoneBody): Done {
  const canonical = JSON.stringify(body, (_key, inner: unknown) =>
    inner !== null && typeof inner === "object" && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
  return { body, sha256: createHash("sha256").update(canonical).digest("hex") };
}

/** Whether the run leaves a plan whose digest is fixed with its end. */
export function leavesPlan(run: LaneRun, body: DoneBody): boolean {
  return isPlanStyle(run.kind) && body.status === "success";
}

/** What a run left that leaves a plan: SHA-256 of what it has uploaded, and the gates that close with its end. */
export type PlanLeft = { plan: string | null; tree: string | null; gates: readonly NewGate[] };

export const NO_PLAN: PlanLeft = { plan: null, tree: null, gates: [] };

export function decideDone(
  lane: Lane,
  run: LaneRun,
  runnerId: string,
  { body, sha256 }: Done,
  left: PlanLeft,
): ReportDecision {
  if (isRunTerminal(run.status)) {
    return run.done_sha256 === sha256 ? stored() : refuse("run_already_terminal", `The run is ${run.status}.`);
  }
  if (!isAccepted(run.status) || run.assigned_runner_id !== runnerId) {
    return refuse("invalid_transition", "The run was not accepted by this runner.");
  }
  // A plan that failed without a summary has none; only a success that says nothing counts as changes nobody counted.
  const hasPlan = body.status === "success" || body.plan_summary !== undefined;
  const planSummary = isPlanStyle(run.kind) && hasPlan ? measured(body.plan_summary) : null;
  const appliable = usesLane(lane.deployment.mode) && planSummary?.has_changes !== false;
  if (leavesPlan(run, body) && run.status === "running" && appliable && !left.plan) {
    return refuse("plan_artifact_missing", "Upload the plan before reporting its success.");
  }
  const change = decideRunEnd(lane, run, {
    end: body.status,
    seenBy: "runner",
    exitCode: body.exit_code ?? null,
    error: body.error ?? null,
    planSummary,
    drift: run.kind === "refresh_run" ? driftIn(body) : null,
    planSha256: left.plan,
    treeSha256: left.tree,
    gates: left.gates,
    doneSha256: sha256,
  });
  return stored({ ...change, messages: runMessages(lane, run, "api") });
}

/** A summary that is absent or makes no sense means a plan with changes nobody counted, never a refused report. */
export function measured(summary: unknown): PlanSummary {
  const parsed = v.safeParse(PlanSummary, summary);
  if (parsed.success) return parsed.output;
  return { has_changes: true, counts: null, gaps: ["The runner's plan summary is missing or invalid."] };
}

/** A report that makes no sense is none: the plan's own figures still say whether anything has changed. */
function driftIn({ drift }: DoneBody): DriftReport | null {
  const parsed = v.safeParse(DriftReport, drift);
  return parsed.success ? parsed.output : null;
}

/** The runner has seen the cancellation and is stopping its engine. Repeating it changes nothing. */
export function decideAcknowledge(run: LaneRun, runnerId: string): ReportDecision {
  if (run.assigned_runner_id !== runnerId)
    return refuse("invalid_transition", "The run was not accepted by this runner.");
  if (run.status === "cancelling") return stored();
  if (isRunTerminal(run.status)) return refuse("run_already_terminal", `The run is ${run.status}.`);
  if (run.status !== "requested_cancellation") return refuse("invalid_transition", "No cancellation was requested.");
  return stored({
    run: { id: run.id, from: run.status, to: "cancelling" },
    stage: "cancelling",
    deployment: { to: "cancelling" },
    event: { name: "deployment_cancellation_acknowledged" },
  });
}

/** A coordinator could not start the run it had claimed: the run fails at once. */
export function decideDispatchFailed(lane: Lane, run: LaneRun, runnerId: string, why: string): ReportDecision {
  if (run.status === "failure" && run.assigned_runner_id === runnerId) return stored();
  if (isRunTerminal(run.status)) return refuse("run_already_terminal", `The run is ${run.status}.`);
  if (run.status !== "assigned" || run.assigned_runner_id !== runnerId) {
    return refuse("invalid_transition", "The run is not assigned to this runner.");
  }
  const error = `The runner could not be started: ${why}`;
  const change = decideRunEnd(lane, run, { end: "failure", seenBy: "dispatch", error });
  return stored({ ...change, messages: runMessages(lane, run, "api") });
}

function stored(change: Change | null = null): ReportDecision {
  return { outcome: STORED, change };
}

function refuse(code: RefusalCode, why: string): ReportDecision {
  return { outcome: { outcome: "refused", code, why }, change: null };
}
