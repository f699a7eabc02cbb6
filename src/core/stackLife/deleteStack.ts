/**
 * Delete a stack: soft, refused while a runner works on it, or its state holds resources, unless forced; everything
 * that waits ends with it (docs/rules/stacks.md#deleting).
 */
import { and, eq, isNull, sql } from "drizzle-orm";
import type { Subject } from "../../http/principal.ts";
import { ProblemError } from "../../platform/problems/problem.ts";
import { requireRow } from "../../platform/problems/requireRow.ts";
import type { Actor, DomainEvent } from "../../work/domainEvent.ts";
import type { Service } from "../../work/service.ts";
import { unitOfWork, type Work } from "../../work/unitOfWork.ts";
import { removeCloudAccess } from "../cloud/integrations.ts";
import { cancelQueued } from "../deployments/cancelQueued.ts";
import { lockLane } from "../deployments/lane.ts";
import { endAtOnce } from "../deployments/transitions/cancel.ts";
import { writeChange } from "../deployments/writeChange.ts";
import { unlinkStack } from "../pullRequests/unlinkStack.ts";
import { stacks } from "../stacks/schema.ts";
import { recordStackEvent } from "../stacks/stackEvent.ts";

/** A runner has accepted a run of the stack, a preview included, and has not ended it. A check keeps nobody. */
export class StackBusyError extends ProblemError {
  constructor() {
    super({
      status: 409,
      code: "conflict",
      detail: "A runner is working on this stack. Cancel its deployments first, or delete with force=true.",
    });
  }
}

export class StateHasResourcesError extends ProblemError {
  constructor() {
    const detail =
      "The stack's state, which the service keeps, holds resources that nobody would know of any more. Destroy them first, or delete with force=true.";
    super({ status: 409, code: "state_has_resources", detail });
  }
}

/**
 * `deleted_at` is set first, so that freeing the lane promotes nothing; then every live deployment ends `cancelled`,
 * its run with it. The name is free at once: a stack made with it later is another incarnation, which no late report
 * reaches.
 * @throws NotFoundError, StackBusyError, StateHasResourcesError
 */
export async function deleteStack(service: Service, subject: Subject, stackKey: string, force: boolean): Promise<void> {
  const actor = { id: subject.id, kind: subject.kind };
  await unitOfWork(service, (work) => deleteStackIn(work, actor, stackKey, force));
}

/**
 * The same in a transaction of the caller, whose stack may be locked already.
 * @param why what the event says of it besides
 */
export async function deleteStackIn(
  work: Work,
  actor: Actor,
  stackKey: string,
  force: boolean,
  why: DomainEvent["data"] = {},
): Promise<void> {
  const live = and(eq(stacks.stackKey, stackKey), isNull(stacks.deletedAt));
  const stack = requireRow(await work.tx.select().from(stacks).where(live).for("no key update"));
  if (!force && (await isBusy(work, stackKey))) throw new StackBusyError();
  if (!force && (await holdsResources(work, stackKey))) throw new StateHasResourcesError();
  await work.tx.update(stacks).set({ deletedAt: sql`svc_now()` }).where(live);
  await unlinkStack(work, stackKey);
  await removeCloudAccess(work.tx, stackKey);
  await cancelQueued(work, stackKey, actor);
  for (const id of await liveDeployments(work, stackKey)) {
    const lane = await lockLane(work.tx, id);
    if (lane) await writeChange(work, lane, endAtOnce(lane, actor, "api"));
  }
  await recordStackEvent(work, stack, "stack_deleted", actor, why);
}

/** By the state that the service keeps for it; one that its engine has encrypted may hold some. */
async function holdsResources({ tx }: Work, stackKey: string): Promise<boolean> {
  const rows = await tx.execute(sql`
    select from stack_states s join state_versions v on v.id = s.version_id
    where s.stack_key = ${stackKey} and coalesce(v.resources, 1) > 0`);
  return rows.length > 0;
}

async function isBusy({ tx }: Work, stackKey: string): Promise<boolean> {
  const rows = await tx.execute(sql`
    select 1 from deployments d join runs r on r.deployment_id = d.id
    where d.stack_key = ${stackKey} and d.status not in ('finished', 'failed', 'cancelled', 'skipped') and d.mode <> 'drift'
      and r.status in ('running', 'requested_cancellation', 'cancelling') limit 1`);
  return rows.length > 0;
}

async function liveDeployments({ tx }: Work, stackKey: string): Promise<string[]> {
  const rows = await tx.execute<{ id: string }>(sql`
    select id from deployments where stack_key = ${stackKey} and status not in ('finished', 'failed', 'cancelled', 'skipped')
    order by id`);
  return rows.map((row) => row.id);
}
