/** All that a stack has queued ends at once: one statement, however long the queue (docs/rules/stacks.md#deleting). */
import { sql } from "drizzle-orm";
import type { SqlRow } from "../../platform/db/sqlRow.ts";
import type { Actor } from "../../work/domainEvent.ts";
import { type StoredEvent, storedEvents, tellSubscribers } from "../../work/publish.ts";
import type { Work } from "../../work/unitOfWork.ts";
import { auditLines } from "./auditLines.ts";
import type { deployments } from "./schema.ts";

/**
 * Cancel every queued deployment of a stack that is locked and promotes nothing any more. Leaves the rows and messages that a
 * cancel of each would: one by one, the lock on a stack with thousands of them would keep its callers, and the connections
 * they wait on, for as many seconds. Nobody else locks a queued deployment or its run without the stack.
 */
export async function cancelQueued(work: Work, stackKey: string, actor: Actor): Promise<void> {
  const stored = storedEvents({
    name: "deployment_cancelled",
    orgId: sql`g.org_id`,
    stackKey: sql`${stackKey}::uuid`,
    deploymentId: sql`g.id`,
    runId: sql`run.id`,
    actor,
    data: sql`g.data`,
    at: sql`g.at`,
    from: sql`from gone g left join run on run.deployment_id = g.id`,
  });
  const rows = await work.tx.execute<
    StoredEvent & SqlRow<typeof deployments, "woken_at"> & { deployment_id: string }
  >(sql`
    with clock as materialized (select svc_now() as at), gone as (
      update deployments d set status = 'cancelled', completed_at = clock.at from clock
      where d.stack_key = ${stackKey} and d.status = 'queued'
      returning d.id, d.org_id, d.completed_at as at, d.woken_at,
        jsonb_strip_nulls(jsonb_build_object('mode', d.mode, 'origin_type', d.origin_type, 'pr_number', d.origin_pr_number)) as data
    ), run as (
      update runs r set status = 'cancelled', completed_at = g.at from gone g
      where r.deployment_id = g.id and r.status = 'queued' returning r.id, r.deployment_id
    ), stage as (
      update stages t set phase = 'cancelled', completed_at = g.at from gone g
      where t.deployment_id = g.id and t.phase = 'running'
    ), projected as (
      update stacks s set latest_deployment_status = 'cancelled', latest_deployment_completed_at = g.at from gone g
      where s.stack_key = ${stackKey} and s.latest_deployment_id = g.id
    ), logged as (
      insert into deployment_events (deployment_id, kind, actor_id, actor_kind, created_at)
      select id, 'cancellation_requested', ${actor.id}, ${actor.kind}, at from gone
    ), ${stored}
    select event.*, gone.woken_at from event join gone on gone.id = event.deployment_id order by event.deployment_id`);
  for (const { woken_at, ...row } of rows) {
    const { deployment_id: id, org_id } = row;
    await tellSubscribers(work, row);
    const workflow = { orgId: org_id, deploymentId: id };
    work.messages.push(
      woken_at === null
        ? { kind: "endDeployment", ...workflow, status: "cancelled" }
        : { kind: "signalDeployment", ...workflow, signal: "runFinished" },
    );
    work.audit.push(...auditLines({ id, org_id }, [{ kind: "cancellation_requested", actor }]));
  }
}
