/** Adapters on the `core` task queue for the Schedules' jobs: regular activities that heartbeat while they work. */
import { heartbeat } from "@temporalio/activity";
import { outsideTrace } from "../src/platform/telemetry/traceContext.ts";
import type { JobActivities } from "../workflows/views.ts";

type Job = () => Promise<Record<string, number>>;

/** A third of the heartbeat timeout in `workflows/activities.ts`: a job whose worker died is taken up elsewhere. */
const BEAT_MS = 10_000;

export function jobActivities(jobs: Record<keyof JobActivities, Job>): JobActivities {
  return {
    reconcile: () => beating(jobs.reconcile),
    housekeep: () => beating(jobs.housekeep),
    auditSeats: () => beating(jobs.auditSeats),
    sweepDependencies: () => beating(jobs.sweepDependencies),
  };
}

/** What a job wakes by the thousand shares no trace with it. */
async function beating<T>(job: () => Promise<T>): Promise<T> {
  const timer = setInterval(() => heartbeat(), BEAT_MS);
  try {
    return await outsideTrace(job);
  } finally {
    clearInterval(timer);
  }
}
