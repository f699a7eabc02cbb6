/**
 * Who hears of a domain event, whoever stores it. A subscriber acts inside the causing transaction; a new consumer
 * edits this list, never a transition (docs/rules/transitions.md#domain-events).
 */
import type { SQL } from "drizzle-orm";
import type { Tx } from "../platform/db/client.ts";
import { auditEntry } from "./auditEntry.ts";
import type { DomainEvent, DomainEventName } from "./domainEvent.ts";
import { isNotified } from "./eventNames.ts";
import type { OutboxMessage } from "./message.ts";
import { followingTasks } from "./tasks/following.ts";

export type Subscriber = {
  /** Rows that it adds in the statement that stores events of this name: a CTE that reads `event`. Null: none. */
  rows?: (name: DomainEventName) => SQL | null;
  /** Messages that it adds once the event is stored. A statement of its own is one more for each such transition. */
  messages?: (event: DomainEvent, tx: Tx) => OutboxMessage[] | Promise<OutboxMessage[]>;
};

/** In the order in which they add their messages. */
export const SUBSCRIBERS: Readonly<Record<string, Subscriber>> = {
  auditTrail: { rows: auditEntry },
  previews: { messages: tellPreview },
  cascades: { messages: startCascade },
  notifications: { messages: notify },
  tasks: { messages: followingTasks },
};

/** Priority is nothing that a pull request shows. */
const UNSHOWN: readonly string[] = ["deployment_prioritized", "deployment_deprioritized"];

/** A pull request's workflow publishes how its preview stands. */
function tellPreview({ orgId, name, stackKey, preview, actor }: DomainEvent): OutboxMessage[] {
  if (preview === null || stackKey === null || UNSHOWN.includes(name)) return [];
  // Made by the service itself, it comes with a `headMoved` that also starts the workflow.
  if (name === "deployment_created" && actor === null) return [];
  return [{ kind: "signalPreview", orgId, stackKey, ...preview, signal: "deploymentChanged" }];
}

/** What depends on a stack follows its apply. */
function startCascade({ orgId, name, stackKey, deploymentId, data }: DomainEvent): OutboxMessage[] {
  if (name !== "deployment_succeeded" || data.dependents !== true || stackKey === null || deploymentId === null)
    return [];
  const { mode, origin_type: origin } = data;
  return [{ kind: "startCascade", orgId, stackKey, deploymentId, mode: String(mode), origin: String(origin) }];
}

/** Who asked to be notified is looked up when the message is stored and when it is worked on. */
function notify({ id, orgId, name }: DomainEvent): OutboxMessage[] {
  return isNotified(name) ? [{ kind: "fanOut", orgId, event: name, domainEventId: id }] : [];
}
