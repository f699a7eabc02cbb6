/** The activity: an evaluation that was begun is carried out. Repeating it changes nothing. */
import { sql } from "drizzle-orm";
import type { Service } from "../../work/service.ts";
import { conclude } from "./conclude.ts";
import { policiesFor } from "./facts.ts";
import { type LookDeps, look } from "./look.ts";

export type EvaluationDeps = LookDeps & { service: Service };

/** @throws only for an outage of our own */
export async function evaluatePlan(deps: EvaluationDeps, deploymentId: string, evaluationId: string): Promise<void> {
  const { db } = deps.service;
  const [pending] = await db.execute<{ plan_run_id: string }>(sql`
    select plan_run_id from policy_evaluations
    where id = ${evaluationId} and deployment_id = ${deploymentId} and status = 'pending'`);
  if (!pending) return;
  const asked = await policiesFor(db, deploymentId);
  const results = await look(deps, db, { deploymentId, planRunId: pending.plan_run_id }, asked);
  await conclude(deps.service, { deploymentId, evaluationId }, results);
}
