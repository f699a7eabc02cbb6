/** All that a stack has queued ends at once: one statement, however long the queue (docs/rules/stacks.md#deleting). */
import { sql } from "drizzle-orm";
import { auditedResource } from "../../people/audit/record.ts";
import type { Actor } from "../../work/domainEvent.ts";
import { messagesFor } from "../../work/subscribers.ts";
import type { Work } from "../../work/unitOfWork.ts";
import { auditLines } from "./auditLines.ts";

type Cancelled = {
  id: string;
  org_id: string;
  event_id: string;
  run_id: string | null;
  data: Record<string, string | number>;
};

/**
 * Cancel every queued deployment of a stack that is locked and promotes nothing any more. Leaves the rows and messages that a
 * cancel of each would: one by one, the lock on a stack with thousands of them would keep its callers, and the connections
 * they wait on, for as many seconds. Nobody else locks a queued deployment or its run without the stack.
 */
export async function cancelQueued(work: Work, stackKey: string, actor: Actor): Promise<void> {
  const rows = await work.tx.execute<Cancelled>(sql`
    with clock as materialized (select svc_now() as at), gone as (
      update deployments d set status = 'cancelled', completed_at = clock.at from clock
      where d.stack_key = ${stackKey} and d.status = 'queued'
      returning d.id, d.org_id, d.completed_at as at,
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
    ), audited as (
      insert into audit_log (org_id, actor_id, actor_kind, action, resource_type, resource_id, details)
      select g.org_id, ${actor.id}, ${actor.kind}, 'deployment.cancel', ${auditedResource("deployment.cancel")}, g.id::text,
        g.data || jsonb_build_object('stack_id', s.slug)
      from gone g join stacks s on s.stack_key = ${stackKey}
    ), event as (
      insert into domain_events (org_id, name, stack_key, deployment_id, run_id, actor_id, actor_kind, data, occurred_at)
      select g.org_id, 'deployment_cancelled', ${stackKey}, g.id, run.id, ${actor.id}, ${actor.kind}, g.data, g.at
      from gone g left join run on run.deployment_id = g.id
      returning id, deployment_id, run_id
    )
    select g.id, g.org_id, g.data, e.id as event_id, e.run_id from gone g join event e on e.deployment_id = g.id order by g.id`);
  for (const row of rows) tell(work, stackKey, actor, row);
}

function tell(work: Work, stackKey: string, actor: Actor, { id, org_id, event_id, run_id, data }: Cancelled): void {
  const event = { id: event_id, orgId: org_id, name: "deployment_cancelled", stackKey, deploymentId: id } as const;
  // Previews are never queued.
  work.messages.push(...messagesFor({ ...event, runId: run_id, preview: null, actor, data }));
  work.messages.push({ kind: "signalDeployment", deploymentId: id, signal: "runFinished" });
  work.audit.push(...auditLines({ id, org_id }, [{ kind: "cancellation_requested", actor }]));
}
