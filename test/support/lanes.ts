/** Lanes to decide on, as the database would give them. */
import { type Lane, type LaneRun, liveRun } from "../../src/core/deployments/lane.ts";
import {
  type DeploymentMode,
  type DeploymentStatus,
  firstRunKind,
  type StageKind,
  type StagePhase,
} from "../../src/core/deployments/lifecycle.ts";
import type { RunStatus } from "../../src/core/runs/lifecycle.ts";
import type { RunKind } from "../../src/core/runs/protocol.ts";

export const NOW = "2026-11-28T12:00:00.000000+00:00";
export const LATER = "2026-11-28T12:02:00.000000+00:00";
export const ACTOR = { id: "codehost:kate:1", kind: "user" } as const;
export const RUNNER = "runner-1";

export type Given = {
  mode?: DeploymentMode;
  status?: DeploymentStatus;
  /** Which run the deployment is in, or ended in, where it has planned and applies as well. */
  during?: "plan" | "apply";
  /** Of the current run; what goes with the deployment's status when absent. */
  run?: Partial<LaneRun>;
  deployment?: Partial<Lane["deployment"]>;
  stack?: Partial<Lane["stack"]>;
};

/** A step that is over, or the current one: its stage, and its run unless it waits for a person. */
type Step = { stage: StageKind; phase: StagePhase; run?: Partial<LaneRun> & { status: RunStatus } };

const PLANNED: Step = { stage: "plan_run", phase: "done", run: { status: "success" } };
const CONFIRMED: Step = { stage: "confirmation", phase: "done" };

/** The stage's phase and the run's status while a deployment has this one. One that waits has no run. */
const CURRENT: Record<DeploymentStatus, [StagePhase, RunStatus]> = {
  queued: ["running", "queued"],
  pending: ["running", "pending"],
  planning: ["running", "running"],
  waiting: ["running", "success"],
  applying: ["running", "running"],
  requested_cancellation: ["requested_cancellation", "requested_cancellation"],
  cancelling: ["cancelling", "cancelling"],
  finished: ["done", "success"],
  failed: ["failed", "failure"],
  cancelled: ["cancelled", "cancelled"],
  skipped: ["skipped", "discarded"],
};

/** `lane({ mode: "plan", status: "waiting" })`: a plan that succeeded, and a confirmation that a person has to give. */
export function lane({ mode = "plan", status = "queued", during, run, deployment, stack }: Given = {}): Lane {
  const lane: Lane = {
    now: NOW,
    stack: { ...STACK, ...stack },
    deployment: { ...DEPLOYMENT, mode, status, ...deployment },
    runs: [],
    stages: [],
    gates: [],
  };
  for (const step of stepsOf(mode, status, during ?? (status === "applying" ? "apply" : "plan"), run)) {
    const added = step.run ? runOf(lane, step.stage as RunKind, step.run) : null;
    if (added) lane.runs.push(added);
    lane.stages.push(stageOf(lane, step.stage, step.phase, added));
  }
  return lane;
}

function stepsOf(mode: DeploymentMode, status: DeploymentStatus, during: string, run: Partial<LaneRun> = {}): Step[] {
  const first = firstRunKind(mode);
  const applies = mode === "plan" || mode === "destroy" || mode === "refresh";
  const planned = applies ? [{ ...PLANNED, stage: first }] : [];
  if (status === "waiting") return [...planned, { stage: "confirmation", phase: "running" }];
  const [phase, runStatus] = CURRENT[status];
  const current = { status: runStatus, ...run };
  if (applies && during === "apply") return [...planned, CONFIRMED, { stage: "apply_run", phase, run: current }];
  return [{ stage: first, phase, run: current }];
}

const CLAIMED = ["assigned", "running", "requested_cancellation", "cancelling", "success"];

export function runOf(lane: Lane, kind: RunKind, given: Partial<LaneRun> & { status: RunStatus }): LaneRun {
  const plan = kind === "apply_run" ? lane.runs.findLast((run) => run.status === "success") : undefined;
  const claimed = CLAIMED.includes(given.status) ? { assigned_runner_id: RUNNER, claim_seq: 1 } : {};
  const lease = given.status === "assigned" ? { assigned_expires_at: LATER } : {};
  const id = `${kind}-${lane.runs.length + 1}`;
  return { ...RUN, id, kind, plan_run_id: plan?.id ?? null, ...claimed, ...lease, ...given };
}

export function stageOf(
  { stages }: Lane,
  kind: StageKind,
  phase: StagePhase,
  run: LaneRun | null,
): Lane["stages"][number] {
  return { id: `stage-${stages.length + 1}`, position: stages.length + 1, kind, phase, run_id: run?.id ?? null };
}

/** The current run: in flight, or else the last one. */
export function currentRun(lane: Lane): LaneRun {
  return liveRun(lane) ?? (lane.runs.at(-1) as LaneRun);
}

const DEPLOYMENT: Lane["deployment"] = {
  id: "deployment",
  org_id: "org",
  stack_key: "stack",
  mode: "plan",
  status: "queued",
  commit_sha: "0123456789abcdef0123456789abcdef01234567",
  origin_type: "manual",
  provenance: "branch",
  needs_person: false,
  repository_url: "https://git.example/r.git",
  origin_pr_number: null,
  created_by: null,
  created_at: NOW,
  prioritized_at: null,
  prioritized_by: null,
  waiting_since: null,
  cancel_requested_at: null,
  completed_at: null,
  command_bytes: null,
  woken_at: null,
};

const STACK: Lane["stack"] = {
  stack_key: "stack",
  org_id: "org",
  slug: "network-prod",
  auto_approve_mode: "manual",
  labels: {},
  preview_runner_labels: null,
  fork_runner_labels: null,
  held_at: null,
  deleted_at: null,
  latest_deployment_id: "deployment",
};

const RUN: LaneRun = {
  id: "",
  kind: "plan_run",
  status: "queued",
  selector_id: "selector",
  plan_run_id: null,
  prioritized_at: null,
  first_pending_at: NOW,
  claim_seq: 0,
  assignment_attempts: 0,
  accept_problem: null,
  assigned_runner_id: null,
  assigned_group_id: null,
  assigned_expires_at: null,
  started_at: null,
  cancel_requested_at: null,
  completed_at: null,
  plan_summary: null,
  plan_sha256: null,
  lease_woken_at: null,
  done_sha256: null,
  last_seen_at: null,
};
