/** A domain event about a stack itself, in the transaction that made it (docs/rules/transitions.md#domain-events). */
import { sql } from "drizzle-orm";
import { v7 as uuidv7 } from "uuid";
import type { Subject } from "../../http/principal.ts";
import { auditInsert } from "../../people/audit/ofEvent.ts";
import type { DomainEvent, DomainEventName } from "../../work/domainEvent.ts";
import { messagesFor } from "../../work/subscribers.ts";
import { enqueueFollowing } from "../../work/tasks/following.ts";
import type { Work } from "../../work/unitOfWork.ts";
import type { StackRow } from "./schema.ts";

/** Record `name` for `stack` and what its subscribers make of it. */
export async function recordStackEvent(
  work: Work,
  stack: Pick<StackRow, "orgId" | "stackKey" | "slug" | "name">,
  name: Extract<DomainEventName, `stack_${string}`>,
  subject: Pick<Subject, "id" | "kind"> | null,
  data: DomainEvent["data"] = {},
): Promise<void> {
  const event: DomainEvent = {
    id: uuidv7(),
    orgId: stack.orgId,
    name,
    stackKey: stack.stackKey,
    deploymentId: null,
    runId: null,
    preview: null,
    actor: subject && { id: subject.id, kind: subject.kind },
    data: { stack_id: stack.slug, stack_name: stack.name, ...data },
  };
  await work.tx.execute(sql`
    with audited as (${auditInsert(event)})
    insert into domain_events (id, org_id, name, stack_key, actor_id, actor_kind, data, occurred_at)
    values (${event.id}, ${event.orgId}, ${event.name}, ${event.stackKey}, ${event.actor?.id ?? null}, ${event.actor?.kind ?? null},
      ${JSON.stringify(event.data)}::jsonb, svc_now())`);
  work.messages.push(...messagesFor(event));
  await enqueueFollowing(work, event);
}
