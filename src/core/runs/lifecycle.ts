/** What a run can be and become (docs/rules/runs.md#statuses). Pure; a trigger in Postgres refuses the same. */
import type { RunKind } from "./protocol.ts";

export const RUN_TRANSITIONS = {
  queued: ["pending", "cancelled", "discarded"],
  pending: ["assigned", "startup_timeout", "cancelled", "discarded"],
  assigned: ["running", "pending", "startup_timeout", "failure", "cancelled", "discarded"],
  running: ["success", "failure", "timed_out", "cancelled", "requested_cancellation"],
  requested_cancellation: ["cancelling", "success", "cancelled"],
  cancelling: ["success", "cancelled"],
  success: [],
  failure: [],
  cancelled: [],
  timed_out: [],
  startup_timeout: [],
  discarded: [],
} as const satisfies Record<string, readonly string[]>;
export type RunStatus = keyof typeof RUN_TRANSITIONS;
export const RUN_STATUSES = Object.keys(RUN_TRANSITIONS) as [RunStatus, ...RunStatus[]];
/** How a run that was claimed can end. */
export type RunEnd = "success" | "failure" | "cancelled" | "timed_out" | "startup_timeout" | "discarded";

export function isRunTerminal(status: RunStatus): boolean {
  return RUN_TRANSITIONS[status].length === 0;
}

/** Whether a runner accepted the run and has not ended it: it must be asked to stop rather than be ended. */
export function isAccepted(status: RunStatus): boolean {
  return status === "running" || status === "requested_cancellation" || status === "cancelling";
}

/** Whether a cancellation of the run was asked for and it has not ended. */
export function isCancelRequested(status: RunStatus): boolean {
  return status === "requested_cancellation" || status === "cancelling";
}

/** Plan-style kinds write a plan file and lock no state. */
export function isPlanStyle(kind: RunKind): boolean {
  return kind === "plan_run" || kind === "destroy_run" || kind === "refresh_run";
}
