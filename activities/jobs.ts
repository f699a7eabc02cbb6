/** Adapters on the `core` task queue for the Schedules' jobs: regular activities that heartbeat as they go. */
import { heartbeat } from "@temporalio/activity";
import type { JobActivities } from "../workflows/contract.ts";

/** A job reports progress by calling `beat`, at least every 20 s. */
export type JobBody = (beat: () => void) => Promise<Record<string, number>>;

export function jobActivities(bodies: { reconcile: JobBody; housekeep: JobBody }): JobActivities {
  return {
    reconcile: () => bodies.reconcile(() => heartbeat()),
    housekeep: () => bodies.housekeep(() => heartbeat()),
  };
}
