/** What the Schedules run, each pass whole or tried again by the next. */
import { jobActivities } from "../../activities/jobs.ts";
import type { Config } from "../config.ts";
import { removeSources } from "../localSources/removeSources.ts";
import { removeExpired } from "../members/removeExpired.ts";
import { auditSeats } from "../members/seatAudit.ts";
import type { ObjectStore } from "../objects/store.ts";
import { retire } from "../retention/retire.ts";
import { housekeep } from "../runners/housekeeping.ts";
import { removeDoneTasks } from "../tasks/removeDone.ts";
import { sweepDependencies } from "../tasks/sweep.ts";
import type { Logger } from "../telemetry/log.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import { reconcile } from "../temporal/reconcile.ts";
import type { Orchestration } from "./orchestration.ts";

export function periodicJobs(
  { service, temporal }: Orchestration,
  metrics: Metrics,
  config: Config,
  log: Logger,
  store: ObjectStore,
): object {
  return jobActivities({
    reconcile: () =>
      reconcile(service, temporal, {
        healed: (workflow, action) => metrics.reconcilerHealed.inc({ workflow, action }),
      }),
    housekeep: () =>
      allInTurn([
        () => housekeep(service),
        () => removeSources(service.db, store, config.localSourceRetentionMs),
        () => retire(service.db, store, config.retention),
        () => removeExpired(service.db),
        () => removeDoneTasks(service.db),
      ]),
    auditSeats: () => auditSeats(service.db, log),
    sweepDependencies: () => sweepDependencies(service),
  });
}

/** One that fails does not keep the others from their turn; then the first failure is the result. */
async function allInTurn(jobs: readonly (() => Promise<Record<string, number>>)[]): Promise<Record<string, number>> {
  const failures: unknown[] = [];
  const counts: Record<string, number> = {};
  for (const job of jobs) Object.assign(counts, await job().catch((error: unknown) => void failures.push(error)));
  if (failures.length > 0) throw failures[0];
  return counts;
}
