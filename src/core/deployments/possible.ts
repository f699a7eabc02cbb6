/**
 * Which decisions a deployment's state admits and would change something. Pure. The decisions themselves ask it, and
 * what an answer offers its reader is made of it (docs/rules/deployments.md#what-an-answer-offers).
 */
import type { Gate } from "../gates/gate.ts";
import { isPlanStyle, isRunTerminal, type RunStatus } from "../runs/lifecycle.ts";
import type { RunKind } from "../runs/protocol.ts";
import { type DeploymentMode, type DeploymentStatus, isTerminal, usesLane } from "./lifecycle.ts";

export const DEPLOYMENT_ACTIONS = [
  "confirm",
  "confirm_preview",
  "review",
  "break_glass",
  "skip",
  "cancel",
  "force_cancel",
  "prioritize",
  "deprioritize",
  "retry",
] as const;
export type DeploymentAction = (typeof DEPLOYMENT_ACTIONS)[number];
export type DecisionAction = Exclude<DeploymentAction, "retry">;

type Run = { kind: RunKind; status: RunStatus };
export type DeploymentState = {
  status: DeploymentStatus;
  mode: DeploymentMode;
  prioritized_at: string | null;
  /** By creation. */
  runs: readonly Run[];
  gates?: readonly { gate: Gate }[];
};

export const POSSIBLE: Record<DecisionAction, (state: DeploymentState) => boolean> = {
  confirm: ({ status, mode, runs }) => status === "waiting" && usesLane(mode) && waitingPlan(runs) !== undefined,
  confirm_preview: ({ status, mode }) => status === "waiting" && !usesLane(mode),
  review: ({ status, mode, runs }) => status === "waiting" && (!usesLane(mode) || waitingPlan(runs) !== undefined),
  break_glass: ({ gates = [], ...state }) =>
    (POSSIBLE.confirm(state) || POSSIBLE.confirm_preview(state)) && gates.some(({ gate }) => gate === "approvals"),
  skip: ({ status, mode }) => (status === "queued" || status === "waiting") && usesLane(mode),
  cancel: ({ status }) => !isTerminal(status) && !isBeingCancelled(status),
  force_cancel: ({ status }) => isBeingCancelled(status),
  prioritize: (state) => isUnclaimed(state) && state.prioritized_at === null,
  deprioritize: (state) => isUnclaimed(state) && state.prioritized_at !== null,
};

/** The plan that waits for confirmation. */
export function waitingPlan<R extends Run>(runs: readonly R[]): R | undefined {
  return runs.findLast((run) => isPlanStyle(run.kind) && run.status === "success");
}

export function isBeingCancelled(status: DeploymentStatus): boolean {
  return status === "requested_cancellation" || status === "cancelling";
}

/** Priority counts while the deployment queues or its run is unclaimed. */
export function isUnclaimed({ runs }: Pick<DeploymentState, "runs">): boolean {
  const live = runs.find((run) => !isRunTerminal(run.status));
  return live?.status === "queued" || live?.status === "pending";
}
