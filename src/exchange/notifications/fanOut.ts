/**
 * Makes the deliveries of an event, in one transaction: the event is marked, a row is stored for each integration
 * that asks for it with the very bytes every attempt will send, and so are the starts of their workflows
 * (docs/rules/notifications.md#fanned-out-once).
 */
import { sql } from "drizzle-orm";
import { v7 as uuidv7 } from "uuid";
import type { Queryable } from "../../platform/db/client.ts";
import type { Service } from "../../work/service.ts";
import { unitOfWork } from "../../work/unitOfWork.ts";
import { envelopeOf } from "./envelope.ts";
import { type EventFacts, type Recipient, takeEvent } from "./eventFacts.ts";
import { type FindingsReport, findingsIn } from "./findings.ts";
import { bodyOf } from "./formats/formats.ts";
import { messageOf } from "./message.ts";

/** Does nothing for an event that is gone or was fanned out before. @returns how many deliveries were made */
export async function fanOut(
  service: Service,
  publicBaseUrl: string | undefined,
  domainEventId: string,
): Promise<number> {
  return unitOfWork(service, async ({ tx, messages }) => {
    const taken = await takeEvent(tx, domainEventId);
    if (taken === null || taken.recipients.length === 0) return 0;
    const { event, recipients } = taken;
    const before = await reported(tx, event, recipients);
    const rows = recipients.map(({ id, providerType }) => {
      const envelope = envelopeOf(event, { publicBaseUrl, previousFindings: before.get(id) ?? null });
      return { id: uuidv7(), integration_id: id, body: bodyOf(providerType, messageOf(event, envelope), envelope) };
    });
    await store(tx, event, rows);
    const subject = {
      orgId: event.org_id,
      event: event.name,
      stackKey: event.stack?.key ?? null,
      deploymentId: event.deployment?.id ?? null,
    };
    messages.push(...rows.map(({ id }) => ({ kind: "startNotification", ...subject, deliveryId: id }) as const));
    return rows.length;
  });
}

async function store(
  tx: Queryable,
  { id, org_id, name, stack, deployment }: EventFacts,
  rows: readonly { id: string; integration_id: string; body: string }[],
): Promise<void> {
  await tx.execute(sql`
    insert into notification_deliveries (id, org_id, integration_id, domain_event_id, event_type, stack_key, deployment_id, body)
    select d.id, ${org_id}::uuid, d.integration_id, ${id}::uuid, ${name}::text, ${stack?.key ?? null}::uuid, ${deployment?.id ?? null}::uuid, d.body
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as d (id uuid, integration_id uuid, body text)
    on conflict (domain_event_id, integration_id) do nothing`);
}

/** What each recipient was told of findings before; from now on that is this report. */
async function reported(
  tx: Queryable,
  event: EventFacts,
  recipients: readonly Recipient[],
): Promise<Map<string, FindingsReport | null>> {
  const current = event.name === "explore_findings_changed" ? findingsIn(event.data.current) : null;
  if (current === null) return new Map();
  const rows = await tx.execute<{ id: string; before: FindingsReport | null }>(sql`
    update notification_integrations i set reported_findings = ${JSON.stringify(current)}::jsonb
    where i.id = any(${`{${recipients.map(({ id }) => id).join(",")}}`}::uuid[])
    returning i.id, old.reported_findings as before`);
  return new Map(rows.map(({ id, before }) => [id, before]));
}
