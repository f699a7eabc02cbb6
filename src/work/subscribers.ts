/**
 * Who hears of a domain event. A subscriber runs inside the causing transaction and only adds outbox messages; a new
 * consumer edits this list, never a transition (docs/rules/transitions.md#domain-events).
 */

import type { DomainEvent } from "./domainEvent.ts";
import { isNotified } from "./eventNames.ts";
import type { OutboxMessage } from "./message.ts";

type Subscriber = (event: DomainEvent) => OutboxMessage[];

/** Priority is nothing that a pull request shows. */
const UNSHOWN: readonly string[] = ["deployment_prioritized", "deployment_deprioritized"];

/** A pull request's workflow publishes how its preview stands. */
function tellPreview({ orgId, name, stackKey, preview, actor }: DomainEvent): OutboxMessage[] {
  if (preview === null || stackKey === null || UNSHOWN.includes(name)) return [];
  // Made by the service itself, it comes with a `headMoved` that also starts the workflow.
  if (name === "deployment_created" && actor === null) return [];
  return [{ kind: "signalPreview", orgId, stackKey, ...preview, signal: "deploymentChanged" }];
}

/** Who asked to be notified is looked up when the message is stored and when it is worked on. */
function notify({ id, orgId, name }: DomainEvent): OutboxMessage[] {
  return isNotified(name) ? [{ kind: "fanOut", orgId, event: name, domainEventId: id }] : [];
}

/** What depends on a stack follows its apply. */
function startCascade({ orgId, name, stackKey, deploymentId, data }: DomainEvent): OutboxMessage[] {
  if (name !== "deployment_succeeded" || data.dependents !== true || stackKey === null || deploymentId === null)
    return [];
  const { mode, origin_type: origin } = data;
  return [{ kind: "startCascade", orgId, stackKey, deploymentId, mode: String(mode), origin: String(origin) }];
}

const SUBSCRIBERS: readonly Subscriber[] = [tellPreview, startCascade, notify];

/** The messages that follow from an event. */
export function messagesFor(event: DomainEvent): OutboxMessage[] {
  return SUBSCRIBERS.flatMap((subscriber) => subscriber(event));
}
