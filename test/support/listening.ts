/**
 * Every subscriber does what it does, and what it hears is written down. Import this before whatever stores events:
 * statements ask the subscribers when they are loaded.
 */
import type { DomainEvent } from "../../src/work/domainEvent.ts";
import { SUBSCRIBERS, type Subscriber } from "../../src/work/subscribers.ts";

type Heard = { who: string; event: DomainEvent };
export const heard: Heard[] = [];
/** Who was asked for rows of an event, as `WHO NAME`: also by statements that are put together when they are loaded. */
export const asked = new Set<string>();

for (const [who, subscriber] of Object.entries(SUBSCRIBERS)) {
  const { rows, messages } = subscriber;
  const listening: Subscriber = {
    rows: (name) => {
      asked.add(`${who} ${name}`);
      return rows?.(name) ?? null;
    },
    messages: (event, tx) => {
      heard.push({ who, event });
      return messages?.(event, tx) ?? [];
    },
  };
  Object.assign(subscriber, listening);
}
