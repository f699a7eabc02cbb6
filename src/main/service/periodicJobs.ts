/** What the Schedules run, each pass whole or tried again by the next. */
import { jobActivities } from "../../../activities/jobs.ts";
import { rotateKeys } from "../../core/identity/rotateKeys.ts";
import { removeSources } from "../../core/localSources/removeSources.ts";
import { retire } from "../../core/retention/retire.ts";
import { housekeep } from "../../core/runners/housekeeping.ts";
import { latestDeploymentHealer } from "../../core/stackLife/healLatestDeployments.ts";
import { removeStateVersions } from "../../core/state/removeVersions.ts";
import { removeDoneTasks } from "../../graph/tasks/removeDone.ts";
import { sweepDependencies } from "../../graph/tasks/sweep.ts";
import { reconcile } from "../../orchestration/reconciler/reconcile.ts";
import { removeExpired } from "../../people/members/removeExpired.ts";
import { auditSeats } from "../../people/members/seatAudit.ts";
import { removeAbandonedTokens } from "../../people/serviceAccounts/abandoned.ts";
import type { Keyring } from "../../platform/crypto/keyring.ts";
import type { ObjectStore } from "../../platform/objects/store.ts";
import type { Logger } from "../../platform/telemetry/log.ts";
import type { Metrics } from "../../platform/telemetry/metrics.ts";
import type { Config } from "../config/settings.ts";
import type { Orchestration } from "./orchestration.ts";

export function periodicJobs(
  { service, temporal }: Orchestration,
  metrics: Metrics,
  config: Config,
  log: Logger,
  store: ObjectStore,
  keyring: Keyring,
): object {
  const healPass = latestDeploymentHealer(service.db);
  const healLatestDeployments = async () => {
    const rows = await healPass();
    if (rows > 0) {
      metrics.projectionHealed.inc({ projection: "latest_deployment" }, rows);
      log.warn({ rows }, "the newest deployment shown with a stack differed, and was corrected");
    }
    return { latest_deployment: rows };
  };
  const rotateIdentityKeys = async () => {
    // Without a public address the service is nobody's issuer.
    if (config.publicBaseUrl === undefined) return {};
    const { created, removed } = await rotateKeys({ db: service.db, keyring }, config.identity.keyRotationMs);
    if (created.length > 0) log.info({ keys: created }, "a key for identities of runs is published");
    return { identity_keys_created: created.length, identity_keys_removed: removed.length };
  };
  return jobActivities({
    reconcile: () =>
      reconcile(service, temporal, {
        healed: (workflow, action) => metrics.reconcilerHealed.inc({ workflow, action }),
      }),
    housekeep: () =>
      allInTurn([
        () => housekeep(service),
        () => removeSources(service.db, store, config.localSourceRetentionMs),
        () => removeStateVersions(service.db, store, { ...config.state, ...config.retention }),
        () => retire(service.db, store, config.retention),
        () => removeExpired(service.db),
        () => removeAbandonedTokens(service.db),
        () => removeDoneTasks(service.db),
        healLatestDeployments,
        rotateIdentityKeys,
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
