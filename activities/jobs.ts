/** Adapters on the `core` task queue for the Schedules' jobs: regular activities that heartbeat while they work. */
import { outsideTrace } from "../src/platform/telemetry/traceContext.ts";
import type { JobActivities } from "../workflows/views.ts";
import { beating } from "./beating.ts";

type Job = () => Promise<Record<string, number>>;

/** A third of the heartbeat timeout in `workflows/activities.ts`: a job whose worker died is taken up elsewhere. */
const BEAT_MS = 10_000;

export function jobActivities(jobs: Record<keyof JobActivities, Job>): JobActivities {
  return {
    reconcile: () => asJob(jobs.reconcile),
    housekeep: () => asJob(jobs.housekeep),
    auditSeats: () => asJob(jobs.auditSeats),
    sweepDependencies: () => asJob(jobs.sweepDependencies),
  };
}

/** What a job wakes by the thousand shares no trace with it. */
function asJob<T>(job: () => Promise<T>): Promise<T> {
  return beating(() => outsideTrace(job), BEAT_MS);
}
