/**
 * A dependent that could not be triggered: put off, or given up with its reason in the row and one event for each
 * problem.
 */
import { sql } from "drizzle-orm";
import { lockLane } from "../../core/deployments/lane.ts";
import { writeLog } from "../../core/deployments/writeLog.ts";
import { pauseMs, type RetryPolicy } from "../../platform/time/pause.ts";
import type { Service } from "../../work/service.ts";
import { unitOfWork } from "../../work/unitOfWork.ts";
import type { OpenDependent } from "./openDependents.ts";
import { OPEN } from "./openTriggers.ts";
import type { TriggerFailure } from "./triggerFailure.ts";

/** Try again later, unless that is no use or was done often enough. @returns whether the dependent was given up */
export async function recordFailure(
  service: Service,
  policy: RetryPolicy,
  parentId: string,
  dependent: OpenDependent,
  failure: TriggerFailure,
): Promise<boolean> {
  const attempts = dependent.attempts + 1;
  if (failure.passing && attempts < policy.maxAttempts) {
    const pause = pauseMs(policy, attempts, failure.retryAfterMs, failure.random);
    await service.db.execute(sql`
      update dependent_triggers t set attempts = ${attempts}, last_failure = ${failure.text},
        due_at = svc_now() + ${pause}::float8 * interval '1 millisecond', updated_at = svc_now()
      where t.parent_deployment_id = ${parentId} and t.dependent_stack_key = ${dependent.stack_key} and ${OPEN}`);
    return false;
  }
  return giveUp(service, parentId, dependent, failure);
}

/** The event is anchored to the parent, whose lock also makes two failures of one problem come one after the other. */
async function giveUp(
  service: Service,
  parentId: string,
  { stack_key, slug }: OpenDependent,
  { text, place }: TriggerFailure,
): Promise<boolean> {
  const problem = `${text} ${place}`;
  return unitOfWork(service, async (work) => {
    const lane = await lockLane(work.tx, parentId);
    if (!lane) return false;
    const [row] = await work.tx.execute<{ announced: boolean }>(sql`
      with known as (
        select 1 from dependent_triggers k where k.parent_deployment_id = ${parentId} and sha256_of(k.problem) = sha256_of(${problem}) limit 1
      )
      update dependent_triggers t set error = ${text}, problem = ${problem}, attempts = t.attempts + 1, updated_at = svc_now()
      where t.parent_deployment_id = ${parentId} and t.dependent_stack_key = ${stack_key} and ${OPEN}
      returning exists (select 1 from known) as announced`);
    if (row?.announced === false) {
      const data = { dependent_stack_id: slug, trigger_error: text };
      await writeLog(work, lane, { event: { name: "dependent_trigger_failed", data } });
    }
    return row !== undefined;
  });
}

/** The dependent was deleted after the snapshot was taken: nothing to deploy, and nobody's fault. */
export async function recordGone(service: Service, parentId: string, stackKey: string): Promise<void> {
  await service.db.execute(sql`
    update dependent_triggers t set skipped_reason = 'stack_deleted', updated_at = svc_now()
    where t.parent_deployment_id = ${parentId} and t.dependent_stack_key = ${stackKey} and ${OPEN}`);
}
