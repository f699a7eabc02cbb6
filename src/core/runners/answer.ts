/** Runner groups and runners as people see them. */
import * as v from "valibot";
import { Id, Labels, pageOf, Time } from "../../http/answerFields.ts";
import { rfc3339 } from "../../platform/time/time.ts";
import { RUNNER_STATUSES } from "../runs/runnerLifecycle.ts";
import type { RunnerGroupRow } from "./schema.ts";

export const RunnerGroup = v.pipe(
  v.object({
    id: Id,
    org_id: Id,
    name: v.string(),
    labels: Labels,
    max_concurrent_runs: v.number(),
    max_drift_runs: v.number(),
    public_key: v.string(),
    public_key_fingerprint: v.string(),
    last_contact_at: v.nullable(Time),
    runner_version: v.nullable(v.string()),
    last_dispatch_error: v.nullable(v.string()),
    last_dispatch_error_at: v.nullable(Time),
    created_at: Time,
    updated_at: Time,
  }),
  v.metadata({ ref: "RunnerGroup" }),
);
export const RunnerGroupPage = v.pipe(pageOf(RunnerGroup), v.metadata({ ref: "RunnerGroupPage" }));
export const KeyedRunnerGroup = v.pipe(
  v.object({
    group: RunnerGroup,
    private_key: v.pipe(v.string(), v.metadata({ description: "PKCS #8 PEM. Shown in this answer and never again." })),
  }),
  v.metadata({ ref: "KeyedRunnerGroup" }),
);

export function groupAnswer(row: RunnerGroupRow): v.InferInput<typeof RunnerGroup> {
  return {
    id: row.id,
    org_id: row.orgId,
    name: row.name,
    labels: row.labels,
    max_concurrent_runs: row.maxConcurrentRuns,
    max_drift_runs: row.maxDriftRuns,
    public_key: row.publicKeyPem,
    public_key_fingerprint: row.publicKeyFingerprint,
    last_contact_at: rfc3339(row.lastContactAt),
    runner_version: row.runnerVersion,
    last_dispatch_error: row.lastDispatchError,
    last_dispatch_error_at: rfc3339(row.lastDispatchErrorAt),
    created_at: rfc3339(row.createdAt),
    updated_at: rfc3339(row.updatedAt),
  };
}

export const Runner = v.pipe(
  v.object({
    id: Id,
    group_id: Id,
    status: v.picklist(RUNNER_STATUSES),
    last_seen_at: Time,
    created_at: Time,
    assigned_run_id: v.nullable(Id),
    assigned_stack_id: v.nullable(v.string()),
    assigned_deployment_id: v.nullable(Id),
  }),
  v.metadata({ ref: "Runner" }),
);
export type Runner = v.InferInput<typeof Runner>;
export const RunnerPage = v.pipe(pageOf(Runner), v.metadata({ ref: "RunnerPage" }));
