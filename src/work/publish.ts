/**
 * The one writer of domain events: nobody else knows the columns they are stored in, or who hears of them
 * (docs/rules/transitions.md#domain-events).
 *
 * `publish` stores an event that is known beforehand. A statement that makes events of the rows it changes takes
 * `storedEvents` into its `with`, and hands each row of `event` to `tellSubscribers`.
 */
import { type SQL, sql } from "drizzle-orm";
import { v7 as uuidv7 } from "uuid";
import type { SqlRow } from "../platform/db/sqlRow.ts";
import type { Actor, DomainEvent, DomainEventName } from "./domainEvent.ts";
import type { domainEvents } from "./schema.ts";
import { SUBSCRIBERS, type Subscriber } from "./subscribers.ts";
import type { Work } from "./unitOfWork.ts";

type Transaction = Pick<Work, "tx" | "messages">;

/** What is left out is null, and the id a new one. */
export type NewEvent = Pick<DomainEvent, "orgId" | "name" | "data"> & Partial<DomainEvent>;

/** Events as a statement makes them: expressions over the rows of `from`, one event for each row. */
export type EventSource = {
  name: DomainEventName;
  id?: SQL;
  orgId: SQL;
  stackKey: SQL;
  deploymentId: SQL;
  runId: SQL;
  actor?: Actor | null;
  data: SQL;
  at?: SQL;
  /** With its keyword; nothing for a single event. */
  from?: SQL;
};

/** A row of `event`, as a statement that takes `storedEvents` returns it. */
export type StoredEvent = Omit<SqlRow<typeof domainEvents>, "occurred_at" | "fanned_out_at">;

/**
 * Store an event and tell its subscribers. `at` is when it happened, if not now; `along` are further CTEs of the
 * caller, so that a transition's log is one statement.
 */
export async function publish(
  work: Transaction,
  given: NewEvent,
  { at = sql`svc_now()`, along }: { at?: SQL; along?: SQL } = {},
): Promise<void> {
  const event: DomainEvent = {
    id: uuidv7(),
    stackKey: null,
    deploymentId: null,
    runId: null,
    preview: null,
    actor: null,
    ...given,
  };
  const { name, actor } = event;
  const stored = storedEvents({
    name,
    actor,
    id: sql`${event.id}::uuid`,
    orgId: sql`${event.orgId}::uuid`,
    stackKey: sql`${event.stackKey}::uuid`,
    deploymentId: sql`${event.deploymentId}::uuid`,
    runId: sql`${event.runId}::uuid`,
    data: sql`${JSON.stringify(event.data)}::jsonb`,
    at,
  });
  await work.tx.execute(sql`with ${along === undefined ? sql`` : sql`${along},`} ${stored} select from event`);
  await tell(work, event);
}

/**
 * The CTEs that store events: `event`, which has the rows of type `StoredEvent`, and those of subscribers that read it.
 */
export function storedEvents(source: EventSource): SQL {
  const { name, orgId, stackKey, deploymentId, runId, actor, data } = source;
  const event = sql`event as (
      insert into domain_events (id, org_id, name, stack_key, deployment_id, run_id, actor_id, actor_kind, data, occurred_at)
      select ${source.id ?? sql`uuidv7()`}, ${orgId}, ${name}::text, ${stackKey}, ${deploymentId}, ${runId},
        ${actor?.id ?? null}::text, ${actor?.kind ?? null}::text, ${data}, ${source.at ?? sql`svc_now()`}
      ${source.from ?? sql``}
      returning id, org_id, name, stack_key, deployment_id, run_id, actor_id, actor_kind, data
    )`;
  const rows = subscribers().map((subscriber) => subscriber.rows?.(name) ?? null);
  return sql.join([event, ...rows.filter((cte) => cte !== null)], sql`, `);
}

/**
 * What follows from an event that a statement stored. Most such events name no preview: a preview is never queued, and
 * its pull request does not show that a run has a runner.
 */
export async function tellSubscribers(
  work: Transaction,
  row: StoredEvent,
  preview: DomainEvent["preview"] = null,
): Promise<void> {
  const actor = row.actor_id === null || row.actor_kind === null ? null : { id: row.actor_id, kind: row.actor_kind };
  await tell(work, {
    id: row.id,
    orgId: row.org_id,
    name: row.name,
    stackKey: row.stack_key,
    deploymentId: row.deployment_id,
    runId: row.run_id,
    preview,
    actor,
    data: row.data,
  });
}

async function tell({ tx, messages }: Transaction, event: DomainEvent): Promise<void> {
  for (const subscriber of subscribers()) messages.push(...((await subscriber.messages?.(event, tx)) ?? []));
}

function subscribers(): readonly Subscriber[] {
  return Object.values(SUBSCRIBERS);
}
