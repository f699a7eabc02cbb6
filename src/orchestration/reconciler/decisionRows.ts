/** The live deployments that decisions are sent to. */

import { sql } from "drizzle-orm";
import { takesLane } from "../../core/deployments/laneModes.ts";
import type { Queryable } from "../../platform/db/client.ts";
import type { WorkflowSubject } from "../../work/message.ts";
import type { DecisionRows } from "../temporal/decide.ts";
import { LIVE_DEPLOYMENT, SUBJECT } from "./liveRow.ts";

/** What a start of the deployment's workflow takes; null when the deployment is terminal or gone. */
async function liveSubject(db: Queryable, deploymentId: string): Promise<WorkflowSubject | null> {
  const rows = await db.execute<WorkflowSubject>(sql`
    select ${SUBJECT} from deployments d where d.id = ${deploymentId} and ${LIVE_DEPLOYMENT}`);
  return rows[0] ?? null;
}

/** The status of a deployment that has ended while its workflow slept; null for any other. */
export async function endedAsleep(db: Queryable, deploymentId: string): Promise<string | null> {
  const rows = await db.execute<{ status: string }>(sql`
    select d.status from deployments d
    where d.id = ${deploymentId} and d.woken_at is null and not (${LIVE_DEPLOYMENT})`);
  return rows[0]?.status ?? null;
}

/**
 * Of the live deployments of a batch that are not decided yet, the one whose workflow had best carry the batch: the
 * lane's holder, else one that is awake. It has a task to do anyway, if only to end.
 */
async function carrierOf(db: Queryable, batchId: string, but?: string): Promise<WorkflowSubject | null> {
  const rows = await db.execute<WorkflowSubject>(sql`
    select ${SUBJECT} from decisions c join deployments d on d.id = c.deployment_id
    where c.batch = ${batchId} and c.answer is null and ${LIVE_DEPLOYMENT} and d.id is distinct from ${but ?? null}::uuid
    order by not ${takesLane("d")} or d.status = 'queued', d.woken_at is null, c.id limit 1`);
  return rows[0] ?? null;
}

export function decisionRows(db: Queryable): DecisionRows {
  return {
    liveSubject: (deploymentId) => liveSubject(db, deploymentId),
    carrierOf: (batchId, but) => carrierOf(db, batchId, but),
  };
}
