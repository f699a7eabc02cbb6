/**
 * The plan-style runs of a deployment and what they left for people: a summary, the changes, the engine's text
 * (docs/rules/runner-protocol.md#artifacts).
 */
import { sql } from "drizzle-orm";
import type { Queryable } from "../../platform/db/client.ts";
import type { SqlRow } from "../../platform/db/sqlRow.ts";
import { isUuid } from "../../platform/ids/uuid.ts";
import { ProblemError } from "../../platform/problems/problem.ts";
import { rfc3339 } from "../../platform/time/time.ts";
import type { PlanSummary } from "../runs/protocol.ts";
import type { runs } from "../runs/schema.ts";

/** What people may open of a run's artifacts. `plan` and `plan-json` hold sensitive values and are not among them. */
export type ShownArtifact = "changes" | "plan-text";

export type StoredArtifact = { object_key: string; size: number };

export type PlanRun = SqlRow<
  typeof runs,
  "kind" | "status" | "targets" | "excludes" | "replaces" | "created_at" | "started_at" | "completed_at" | "error"
> & {
  run_id: string;
  stage_id: string;
  summary: PlanSummary | null;
  /** Whether no later run of the deployment has planned again. */
  newest: boolean;
  apply_run_id: string | null;
  artifacts: Partial<Record<ShownArtifact, StoredArtifact>>;
};

/** No run of the deployment has planned, or not the one that was asked for. Said only to who may read the stack. */
class NoPlanError extends ProblemError {
  constructor() {
    super({ status: 404, code: "not_found", detail: "The deployment has no such plan." });
  }
}

/** The newest plan-style run of a deployment, or the one named. @throws NoPlanError */
export async function findPlanRun(db: Queryable, deploymentId: string, runId: string | undefined): Promise<PlanRun> {
  if (runId !== undefined && !isUuid(runId)) throw new NoPlanError();
  const [row] = await db.execute<PlanRun>(sql`
    select r.id as run_id, s.id as stage_id, r.kind, r.status, r.targets, r.excludes, r.replaces,
      r.created_at, r.started_at, r.completed_at, r.plan_summary as summary, r.error,
      not exists (select from stages n where n.deployment_id = s.deployment_id and n.position > s.position
        and n.kind in ('plan_run', 'destroy_run', 'refresh_run')) as newest,
      (select a.id from runs a where a.plan_run_id = r.id) as apply_run_id,
      (select coalesce(jsonb_object_agg(a.kind, jsonb_build_object('object_key', a.object_key, 'size', a.size)), '{}')
        from artifacts a where a.run_id = r.id and a.kind in ('changes', 'plan-text')) as artifacts
    from stages s join runs r on r.id = s.run_id
    where s.deployment_id = ${deploymentId} and s.kind in ('plan_run', 'destroy_run', 'refresh_run')
      and (${runId ?? null}::uuid is null or r.id = ${runId ?? null}::uuid)
    order by s.position desc limit 1`);
  if (row === undefined) throw new NoPlanError();
  return {
    ...row,
    created_at: rfc3339(row.created_at),
    started_at: rfc3339(row.started_at),
    completed_at: rfc3339(row.completed_at),
  };
}
