/**
 * The promote primitive: give a free lane to the next queued deployment (docs/queue.md#the-lane).
 *
 * It runs inside the transaction that frees the lane, or that adds to the queue, so there is no wake-up to lose. The
 * caller holds the stack's row lock, taken in an earlier statement; every transition of the stack's deployments takes
 * that lock first, so what this statement reads cannot change under it. The head comes from `deployments_queue` and the
 * lane check from `deployments_lane`: two index probes, flat in the queue's depth. The partial unique index
 * `deployments_lane` is what makes a second holder impossible; a violation there is a bug.
 */

import { sql } from "drizzle-orm";
import type { SqlRow } from "../../platform/db/sqlRow.ts";
import { type StoredEvent, storedEvents, tellSubscribers } from "../../work/publish.ts";
import type { Work } from "../../work/unitOfWork.ts";
import type { runs } from "../runs/schema.ts";
import { takesLane } from "./laneModes.ts";

const PROMOTED = storedEvents({
  name: "deployment_promoted",
  orgId: sql`p.org_id`,
  stackKey: sql`p.stack_key`,
  deploymentId: sql`p.id`,
  runId: sql`run.id`,
  data: sql`jsonb_build_object('mode', p.mode, 'origin_type', p.origin_type)`,
  from: sql`from promoted p, run`,
});

/**
 * Promotes nothing when the lane is held, the queue empty, or the stack held or deleted. A deployment that this
 * transaction `created` never waited and is told nothing: its workflow starts and reads its row. Returns whom it
 * promoted.
 */
export async function promoteNext(work: Work, stackKey: string, created: string | null = null): Promise<string | null> {
  const [row] = await work.tx.execute<StoredEvent & SqlRow<typeof runs, "selector_id"> & { deployment_id: string }>(sql`
    with head as (
      select d.id from stacks s join deployments d on d.stack_key = s.stack_key and d.status = 'queued'
      where s.stack_key = ${stackKey} and s.held_at is null and s.deleted_at is null
        and not exists (select 1 from deployments h where h.stack_key = ${stackKey} and ${takesLane("h")}
          and h.status in ('pending', 'planning', 'applying', 'waiting', 'requested_cancellation', 'cancelling'))
      order by d.prioritized_at nulls last, d.created_at, d.id limit 1
    ), promoted as (
      update deployments d set status = 'pending' from head where d.id = head.id and d.status = 'queued'
      returning d.id, d.org_id, d.stack_key, d.mode, d.origin_type
    ), run as (
      update runs r set status = 'pending', first_pending_at = svc_now()
      from promoted p where r.deployment_id = p.id and r.status = 'queued' returning r.id, r.selector_id
    ), projected as (
      update stacks s set latest_deployment_status = 'pending' from promoted p
      where s.stack_key = ${stackKey} and s.latest_deployment_id = p.id
    ), ${PROMOTED}
    select event.*, run.selector_id from event, run`);
  if (!row) return null;
  work.pendingSelectors.add(row.selector_id);
  await tellSubscribers(work, row);
  const { deployment_id: deploymentId, org_id: orgId } = row;
  if (deploymentId !== created)
    work.messages.push({ kind: "signalDeployment", orgId, deploymentId, signal: "promoted" });
  return deploymentId;
}
