/** Evaluations that begin after the end of a plan: when their hour has come, or because somebody asks for one. */
import { sql } from "drizzle-orm";
import type { Tx } from "../../platform/db/client.ts";
import type { Actor } from "../../work/domainEvent.ts";
import type { Service } from "../../work/service.ts";
import { unitOfWork } from "../../work/unitOfWork.ts";
import { lockLane } from "../deployments/lane.ts";
import { waitingPlan } from "../deployments/possible.ts";
import { POLICY_PENDING } from "../gates/policyGate.ts";
import { closeGates } from "../gates/write.ts";
import { concludeLocked } from "./conclude.ts";
import { policiesFor } from "./facts.ts";
import { allFailed } from "./look.ts";

/**
 * What the deadline of the gate asks for, if it is due: an evaluation that nobody has ended counts as failed, and an
 * answer that holds no longer is asked for anew. Carried out by the deployment's own workflow.
 */
export async function passPolicyDeadline(service: Service, deploymentId: string): Promise<void> {
  await unitOfWork(service, async (work) => {
    const lane = await lockLane(work.tx, deploymentId);
    const plan = lane?.deployment.status === "waiting" ? waitingPlan(lane.runs) : undefined;
    if (!lane || !plan || !(await isDue(work.tx, deploymentId))) return;
    const pending = await pendingEvaluation(work.tx, plan.id);
    if (pending === null) return beginEvaluation(work.tx, lane.deployment, plan.id, null);
    const results = allFailed(await policiesFor(work.tx, deploymentId), "No worker has evaluated it in time.");
    await concludeLocked(work, lane, pending, results, "deployment");
  });
}

async function isDue(tx: Tx, deploymentId: string): Promise<boolean> {
  const rows = await tx.execute(sql`
    select from deployment_gates where deployment_id = ${deploymentId} and gate = 'policy' and due_at <= svc_now()`);
  return rows.length > 0;
}

export async function pendingEvaluation(tx: Tx, planRunId: string): Promise<string | null> {
  const [row] = await tx.execute<{ id: string }>(sql`
    select id from policy_evaluations where plan_run_id = ${planRunId} and status = 'pending'`);
  return row?.id ?? null;
}

/** Under the lane's lock. */
export async function beginEvaluation(
  tx: Tx,
  { id, org_id }: { id: string; org_id: string },
  planRunId: string,
  actor: Actor | null,
): Promise<void> {
  await tx.execute(sql`
    insert into policy_evaluations (org_id, deployment_id, plan_run_id, requested_by, requested_by_kind)
    values (${org_id}, ${id}, ${planRunId}, ${actor?.id ?? null}::text, ${actor?.kind ?? null}::text)`);
  await closeGates(tx, { deploymentId: id, planRunId }, [POLICY_PENDING]);
}
