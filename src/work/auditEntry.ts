/** Domain events that a person or service account caused are entries of the audit trail too. */
import { type SQL, sql } from "drizzle-orm";
import type { DomainEventName } from "./domainEvent.ts";

const ACTIONS = {
  deployment_created: "deployment.create",
  deployment_confirmed: "deployment.confirm",
  deployment_skipped: "deployment.skip",
  deployment_cancelled: "deployment.cancel",
  deployment_cancellation_requested: "deployment.cancel",
  deployment_reviewed: "deployment.review",
  deployment_prioritized: "deployment.prioritize",
  deployment_deprioritized: "deployment.deprioritize",
  stack_created: "stack.create",
  stack_deleted: "stack.delete",
  stack_held: "stack.hold",
  stack_released: "stack.release",
} as const satisfies Partial<Record<DomainEventName, string>>;

/** The actions that are recorded by their event, and by nobody else. */
export type EventAction = (typeof ACTIONS)[keyof typeof ACTIONS];

/**
 * The entries of events, written by the statement that stores them: no statement of its own, so that decisions cost
 * what they did. An event without an actor has none.
 */
export function auditEntry(name: DomainEventName): SQL | null {
  const action = (ACTIONS as Partial<Record<DomainEventName, EventAction>>)[name];
  if (action === undefined) return null;
  return sql`audited as (
      insert into audit_log (org_id, actor_id, actor_kind, action, resource_type, resource_id, details)
      select e.org_id, e.actor_id, e.actor_kind, ${action}::text, ${auditedResource(action)}::text,
        coalesce(e.deployment_id::text, s.slug), e.data || jsonb_build_object('stack_id', s.slug)
      from event e join stacks s on s.stack_key = e.stack_key where e.actor_id is not null
    )`;
}

/** The noun of an action. */
export function auditedResource(action: string): string {
  return action.slice(0, action.indexOf("."));
}
