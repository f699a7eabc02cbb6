/** What a runner can be (docs/rules/runs.md#runner-rows). */
import type { RunEnd } from "./lifecycle.ts";

export const RUNNER_STATUSES = ["not-ready", "ready", "busy", "finished", "failed", "gone"] as const;
export type RunnerStatus = (typeof RUNNER_STATUSES)[number];

/** What the runner row becomes when its run ends: by its own report, or because the service gave it up. */
export function runnerStatusAfter(end: RunEnd, reportedByRunner: boolean): RunnerStatus {
  if (!reportedByRunner) return "gone";
  return end === "success" || end === "cancelled" ? "finished" : "failed";
}
