/**
 * Who hears of a domain event. A subscriber runs inside the causing transaction and only adds outbox messages; a new
 * consumer edits this list, never a transition (design 2 rule 14).
 */
import type { OutboxMessage } from "../outbox/message.ts";
import type { DomainEvent } from "./domainEvent.ts";

type Subscriber = (event: DomainEvent) => OutboxMessage[];

const SUBSCRIBERS: readonly Subscriber[] = [];

/** The messages that follow from an event. */
export function messagesFor(event: DomainEvent): OutboxMessage[] {
  return SUBSCRIBERS.flatMap((subscriber) => subscriber(event));
}
