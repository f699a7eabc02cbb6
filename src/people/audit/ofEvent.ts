/** Domain events that a person or service account caused are entries of the audit trail too. */
import { type SQL, sql } from "drizzle-orm";
import type { DomainEvent, DomainEventName } from "../../work/domainEvent.ts";
import type { AuditAction } from "./actions.ts";
import { auditedResource } from "./record.ts";

const ACTIONS: Partial<Record<DomainEventName, AuditAction>> = {
  deployment_created: "deployment.create",
  deployment_confirmed: "deployment.confirm",
  deployment_skipped: "deployment.skip",
  deployment_cancelled: "deployment.cancel",
  deployment_cancellation_requested: "deployment.cancel",
  deployment_prioritized: "deployment.prioritize",
  deployment_deprioritized: "deployment.deprioritize",
  stack_created: "stack.create",
  stack_deleted: "stack.delete",
  stack_held: "stack.hold",
  stack_released: "stack.release",
};

/**
 * The insert of an event's entry, for a `with` of the statement that stores the event: no statement of its own, so that decisions cost
 * what they did. It inserts nothing for an event without an actor.
 */
export function auditInsert({ name, actor, orgId, stackKey, deploymentId, data }: DomainEvent): SQL {
  const action = ACTIONS[name];
  const known = action !== undefined && actor !== null;
  return sql`insert into audit_log (org_id, actor_id, actor_kind, action, resource_type, resource_id, details)
    select ${orgId}::uuid, ${actor?.id ?? null}::text, ${actor?.kind ?? null}::text, ${action ?? ""}::text,
      ${action === undefined ? "" : auditedResource(action)}::text, coalesce(${deploymentId}::text, s.slug),
      ${JSON.stringify(data)}::jsonb || jsonb_build_object('stack_id', s.slug)
    from stacks s where s.stack_key = ${stackKey} and ${known}::boolean`;
}
