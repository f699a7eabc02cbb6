/** What an event's notifications tell, read once in the transaction that makes them. */
import { type SQL, sql } from "drizzle-orm";
import type { deployments } from "../../core/deployments/schema.ts";
import type { PlanSummary } from "../../core/runs/protocol.ts";
import type { stacks } from "../../core/stacks/schema.ts";
import type { Queryable } from "../../platform/db/client.ts";
import type { SqlRow } from "../../platform/db/sqlRow.ts";
import type { NotifiedEvent } from "../../work/eventNames.ts";
import type { domainEvents } from "../../work/schema.ts";
import type { NotificationIntegrationRow } from "./schema.ts";

export type StackFacts = SqlRow<typeof stacks, "slug" | "name" | "labels"> & { key: string };

export type DeploymentFacts = SqlRow<
  typeof deployments,
  | "id"
  | "status"
  | "mode"
  | "commit_sha"
  | "commit_message"
  | "commit_author"
  | "origin_type"
  | "skipped_reason"
  | "error"
  | "created_by"
  | "created_by_kind"
> & {
  pr_number: number | null;
  /** Of the newest plan that there was then; null when there was none or it could not be measured. */
  plan_summary: PlanSummary | null;
};

export type EventFacts = SqlRow<typeof domainEvents, "id" | "org_id" | "occurred_at" | "actor_id" | "actor_kind"> & {
  name: NotifiedEvent;
  /** Of a service account; people's ids say who they are. Of who did it, else of who asked for the deployment. */
  account_name: string | null;
  data: Record<string, unknown>;
  stack: StackFacts | null;
  deployment: DeploymentFacts | null;
};

/** An integration that asks for the event and whose filters let it pass. */
export type Recipient = Pick<NotificationIntegrationRow, "id" | "providerType">;

/**
 * Take the event for fanning out and read it with those who ask for it. Null when it is gone or was taken before: the
 * mark is set with the deliveries or not at all. A stack's labels and a deployment are as they are now, some
 * milliseconds later.
 *
 * One statement: the event by its key, its stack and deployment by theirs, the newest plan of the deployment as it was
 * then, since it may be planned anew meanwhile, and the organization's integrations by (org_id, name).
 */
export async function takeEvent(
  tx: Queryable,
  eventId: string,
): Promise<{ event: EventFacts; recipients: Recipient[] } | null> {
  const [row] = await tx.execute<
    EventFacts & {
      recipients: Recipient[];
    }
  >(sql`
    with event as (
      update domain_events set fanned_out_at = svc_now() where id = ${eventId} and fanned_out_at is null
      returning id, org_id, name, stack_key, deployment_id, actor_id, actor_kind, data, occurred_at
    )
    select e.id, e.org_id, e.name, e.occurred_at::text, e.actor_id, e.actor_kind, e.data,
      case when s.stack_key is not null then
        jsonb_build_object('key', s.stack_key, 'slug', s.slug, 'name', s.name, 'labels', s.labels) end as stack,
      case when d.id is not null then jsonb_build_object('id', d.id, 'status', d.status, 'mode', d.mode, 'commit_sha', d.commit_sha,
        'commit_message', d.commit_message, 'commit_author', d.commit_author, 'origin_type', d.origin_type, 'pr_number', d.origin_pr_number,
        'skipped_reason', d.skipped_reason, 'error', d.error, 'created_by', d.created_by, 'created_by_kind', d.created_by_kind,
        'plan_summary', p.plan_summary) end as deployment,
      (select a.name from service_accounts a where a.org_id = e.org_id and a.id::text = case
        when e.actor_kind = 'service_account' then e.actor_id
        when e.actor_id is null and d.created_by_kind = 'service_account' then d.created_by end) as account_name,
      (select coalesce(jsonb_agg(jsonb_build_object('id', i.id, 'providerType', i.provider_type) order by i.id), '[]')
        from notification_integrations i where ${asksForIt}) as recipients
    from event e
    left join stacks s on s.stack_key = e.stack_key
    left join deployments d on d.id = e.deployment_id
    left join lateral (select r.plan_summary from runs r where r.deployment_id = d.id
      and r.kind in ('plan_run', 'destroy_run', 'refresh_run') and r.created_at <= e.occurred_at order by r.id desc limit 1) p on true`);
  if (row === undefined) return null;
  const { recipients, ...event } = row;
  return { event, recipients };
}

/**
 * A label selector that is not empty asks for stacks, so an event without one never passes it. `changes_only` holds
 * back deployments whose plan is known to change nothing (docs/rules/notifications.md#fanned-out-once).
 */
const asksForIt: SQL = sql`i.org_id = e.org_id and i.enabled and e.name = any(i.events)
  and (i.stack_label_selector = '{}' or (s.stack_key is not null and s.labels @> i.stack_label_selector))
  and not (i.changes_only and d.id is not null and coalesce((p.plan_summary ->> 'has_changes')::boolean, true) = false)`;
