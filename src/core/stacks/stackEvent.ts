/** A domain event about a stack itself, in the transaction that made it (docs/rules/transitions.md#domain-events). */
import type { Actor, DomainEvent, DomainEventName } from "../../work/domainEvent.ts";
import { publish } from "../../work/publish.ts";
import type { Work } from "../../work/unitOfWork.ts";
import type { StackRow } from "./schema.ts";

/** Record `name` for `stack` and what its subscribers make of it. */
export async function recordStackEvent(
  work: Work,
  stack: Pick<StackRow, "orgId" | "stackKey" | "slug" | "name">,
  name: Extract<DomainEventName, `stack_${string}`>,
  subject: Actor | null,
  data: DomainEvent["data"] = {},
): Promise<void> {
  await publish(work, {
    orgId: stack.orgId,
    name,
    stackKey: stack.stackKey,
    actor: subject && { id: subject.id, kind: subject.kind },
    data: { stack_id: stack.slug, stack_name: stack.name, ...data },
  });
}
