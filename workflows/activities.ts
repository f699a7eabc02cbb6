/**
 * How workflows call the service: a local activity first, a regular one when that is exhausted
 * (docs/rules/workflows.md#activities-are-idempotent).
 */
import { isCancellation, proxyActivities, proxyLocalActivities, TemporalFailure } from "@temporalio/workflow";
import { UNTIL_IT_WORKS } from "./activityOptions.ts";
import type { CoreActivities, JobActivities } from "./views.ts";

/**
 * Three quick tries inside the workflow task, which ends within 5 s, so that it (10 s) never needs to be extended while
 * a database is away: a refused connection fails in milliseconds, one that went silent costs the 5 s. No limit for a
 * single try: the SDK's core forgets to stop that timer when it tries again, and panics when it fires after a shutdown.
 */
const LOCAL = {
  scheduleToCloseTimeout: 5_000,
  retry: { initialInterval: 50, backoffCoefficient: 3, maximumAttempts: 3 },
} as const;

/** Then the server retries, and no workflow task spins meanwhile. */
const PATIENT = { startToCloseTimeout: 20_000, retry: UNTIL_IT_WORKS } as const;

/** A decision expires after 10 s by the database clock: nobody waits for a later answer. */
const DECISION = { ...PATIENT, scheduleToCloseTimeout: 60_000 } as const;

const local = proxyLocalActivities<CoreActivities>(LOCAL);
const regular = proxyActivities<CoreActivities>(PATIENT);

/** Call a core activity. `summary` is what an operator reads in the history: ids and enums only. */
export async function core<K extends keyof CoreActivities>(
  name: K,
  args: Parameters<CoreActivities[K]>,
  summary: string,
): Promise<Awaited<ReturnType<CoreActivities[K]>>> {
  type Call = {
    executeWithOptions(options: object, args: unknown[]): Promise<Awaited<ReturnType<CoreActivities[K]>>>;
  };
  try {
    return await (local[name] as unknown as Call).executeWithOptions({ ...LOCAL, summary }, args);
  } catch (error) {
    // The local one fails with the bare failure, not with an ActivityFailure.
    if (!(error instanceof TemporalFailure) || isCancellation(error)) throw error;
  }
  const options = name === "decide" || name === "decideMany" ? DECISION : PATIENT;
  return (regular[name] as unknown as Call).executeWithOptions({ ...options, summary }, args);
}

/** The jobs of the Schedules: slow, so they heartbeat and may be picked up by another worker. */
export const jobs = proxyActivities<JobActivities>({
  startToCloseTimeout: "10 minutes",
  heartbeatTimeout: "30 seconds",
  retry: { initialInterval: "1 second", maximumInterval: "30 seconds", maximumAttempts: 10 },
});
