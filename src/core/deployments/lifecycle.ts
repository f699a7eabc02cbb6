/**
 * What a deployment can be and become (docs/rules/deployments.md#statuses). Pure; a trigger in Postgres refuses the
 * same.
 */
import type { RunEnd, RunStatus } from "../runs/lifecycle.ts";
import type { RunKind } from "../runs/protocol.ts";

export const DEPLOYMENT_MODES = ["plan", "destroy", "refresh", "plan_unlocked", "raw", "drift"] as const;
export type DeploymentMode = (typeof DEPLOYMENT_MODES)[number];

const DEPLOYMENT_TRANSITIONS = {
  queued: ["pending", "skipped", "cancelled"],
  pending: ["planning", "applying", "failed", "cancelled"],
  planning: ["waiting", "applying", "finished", "failed", "requested_cancellation", "cancelled"],
  waiting: ["applying", "pending", "skipped", "cancelled"],
  applying: ["finished", "failed", "requested_cancellation", "cancelled"],
  requested_cancellation: ["cancelling", "cancelled", "finished"],
  cancelling: ["cancelled", "finished"],
  finished: [],
  failed: [],
  cancelled: [],
  skipped: [],
} as const satisfies Record<string, readonly string[]>;
export type DeploymentStatus = keyof typeof DEPLOYMENT_TRANSITIONS;
export const DEPLOYMENT_STATUSES = Object.keys(DEPLOYMENT_TRANSITIONS) as [DeploymentStatus, ...DeploymentStatus[]];

/** Whether nothing can happen to the deployment any more. */
export function isTerminal(status: DeploymentStatus): boolean {
  return DEPLOYMENT_TRANSITIONS[status].length === 0;
}

/** Previews, local plans and checks for drift neither take nor await the stack's lane. */
export const BESIDE_THE_LANE = ["plan_unlocked", "drift"] as const satisfies DeploymentMode[];

/** Whether a deployment of this mode takes its stack's lane at all. */
export function usesLane(mode: DeploymentMode): boolean {
  return !(BESIDE_THE_LANE as readonly DeploymentMode[]).includes(mode);
}

/** The transitions the table allows, less those a mode forbids. */
export function canBecome(mode: DeploymentMode, from: DeploymentStatus, to: DeploymentStatus): boolean {
  if (!(DEPLOYMENT_TRANSITIONS[from] as readonly string[]).includes(to)) return false;
  if (usesLane(mode)) return true;
  return !(
    (from === "planning" && (to === "waiting" || to === "applying")) ||
    (from === "waiting" && to === "applying")
  );
}

export const STAGE_PHASES = [
  "waiting",
  "running",
  "requested_cancellation",
  "cancelling",
  "done",
  "failed",
  "cancelled",
  "skipped",
] as const;
export type StagePhase = (typeof STAGE_PHASES)[number];
export const STAGE_KINDS = ["plan_run", "apply_run", "destroy_run", "refresh_run", "raw_run", "confirmation"] as const;
export type StageKind = (typeof STAGE_KINDS)[number];

/** The first run of a deployment of this mode. */
export function firstRunKind(mode: DeploymentMode): RunKind {
  const kinds = {
    plan: "plan_run",
    plan_unlocked: "plan_run",
    destroy: "destroy_run",
    refresh: "refresh_run",
    raw: "raw_run",
    drift: "refresh_run",
  } as const;
  return kinds[mode];
}

/**
 * The first rows of a deployment: its own status, its first stage, and the status of the run in it, if there is one.
 */
export type Beginning = {
  status: DeploymentStatus;
  stage: StageKind;
  run: Extract<RunStatus, "queued" | "pending"> | null;
};

/**
 * One that takes the lane queues, a preview or check waits for a runner at once, and a parked preview for a person,
 * without a run.
 */
export function beginningOf(mode: DeploymentMode, parked = false): Beginning {
  if (parked) return { status: "waiting", stage: "confirmation", run: null };
  const status = usesLane(mode) ? "queued" : "pending";
  return { status, stage: firstRunKind(mode), run: status };
}

/** Whether the stack's lane is free once this deployment becomes `to`. One that only queued never held it. */
export function freesLane(
  { mode, status }: { mode: DeploymentMode; status: DeploymentStatus },
  to: DeploymentStatus,
): boolean {
  return isTerminal(to) && usesLane(mode) && status !== "queued";
}

/** The phase in which a stage ends with its run. */
export function stagePhaseOf(end: RunEnd): StagePhase {
  if (end === "success") return "done";
  if (end === "cancelled") return "cancelled";
  return end === "discarded" ? "skipped" : "failed";
}
