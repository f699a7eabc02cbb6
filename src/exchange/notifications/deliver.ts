/** One attempt of one delivery, and what it leaves behind: no row, a later try, or a dead row that people see. */
import { sql } from "drizzle-orm";
import type { DeliveryView } from "../../../workflows/views.ts";
import type { Keyring } from "../../platform/crypto/keyring.ts";
import { DecryptionError } from "../../platform/crypto/wrapping.ts";
import type { Db } from "../../platform/db/client.ts";
import type { SqlRow } from "../../platform/db/sqlRow.ts";
import { openAuth } from "./authConfig.ts";
import type { notificationDeliveries, notificationIntegrations } from "./schema.ts";
import { type SendDeps, send } from "./send.ts";
import type { Gate } from "./targetGate.ts";
import { LONGEST_RETRY_AFTER_MS, type Verdict, verdictFrom } from "./verdict.ts";

export type DeliveryDeps = {
  db: Db;
  keyring: Pick<Keyring, "open">;
  egress: SendDeps["egress"];
  mail: SendDeps["mail"];
  gate: Gate;
  /** Pauses after a failed attempt, in milliseconds. */
  schedule: readonly number[];
  /** For the metric. */
  count?: (outcome: Verdict["outcome"]) => void;
};

type Row = SqlRow<
  typeof notificationDeliveries,
  "id" | "org_id" | "event_type" | "body" | "recipients" | "attempts" | "last_error" | "integration_id"
> &
  SqlRow<typeof notificationIntegrations, "enabled" | "provider_config" | "auth_config"> & {
    wait_ms: number;
    timestamp: number;
    made: number;
  };

const CLOSED: DeliveryView = { open: false, attempts: 0, nextMs: null };
const msUntilDue = sql`greatest(ceil(extract(epoch from due_at - svc_now()) * 1000), 0)::float8`;

/** Make the attempt that is due, if one is. @throws only for an outage of our own */
export async function deliver(deps: DeliveryDeps, deliveryId: string): Promise<DeliveryView> {
  const row = await readOpen(deps.db, deliveryId);
  if (row === null) return CLOSED;
  const { attempts } = row;
  const facts = { event: row.event_type, outcome: row.last_error };
  if (row.wait_ms > 0) return { open: true, attempts, nextMs: row.wait_ms, ...facts };
  if (!row.enabled) {
    const disabled = { outcome: "dead", status: null, error: "the integration is disabled" } as const;
    return settle(deps, row, attempts, { verdict: disabled, left: null });
  }
  const place = deps.gate.enter(row.integration_id, row.org_id);
  if (!place.in) return { ...(await putOff(deps.db, row, place.againMs)), ...facts };
  try {
    return await settle(deps, row, attempts + 1, await attempt(deps, row));
  } finally {
    place.leave();
  }
}

/** How it went, and of an e-mail that some got, who has not got it. */
type Attempt = { verdict: Verdict; left: string[] | null };

async function attempt({ keyring, egress, mail, schedule }: DeliveryDeps, row: Row): Promise<Attempt> {
  const { id: deliveryId, event_type: eventType, body, timestamp, provider_config } = row;
  const { recipients: to = [] } = provider_config;
  const occurredAt = new Date(row.made);
  const recipients = row.recipients?.filter((address) => to.includes(address)) ?? to;
  const judge = (outcome: Parameters<typeof verdictFrom>[0]) =>
    verdictFrom(outcome, row.attempts + 1, schedule, Math.random());
  try {
    const auth = await openAuth(keyring, row.integration_id, row.auth_config);
    const sent = { deliveryId, eventType, body, timestamp, to, recipients, occurredAt };
    const { outcome, left } = await send({ egress, mail }, auth, sent);
    return { verdict: judge(outcome), left };
  } catch (error) {
    if (!(error instanceof DecryptionError)) throw error;
    // An operator can put the key back.
    const unreadable = "the integration's settings could not be decrypted";
    return { verdict: judge({ took: false, status: null, error: unreadable, permanent: false }), left: null };
  }
}

async function readOpen(db: Db, deliveryId: string): Promise<Row | null> {
  const [row] = await db.execute<Row>(sql`
    select d.id, d.org_id, d.event_type, d.body, d.recipients, d.attempts, d.last_error, i.id as integration_id, i.enabled,
      i.provider_config, i.auth_config, extract(epoch from d.created_at)::float8 * 1000 as made, ${msUntilDue} as wait_ms, floor(extract(epoch from svc_now()))::float8 as timestamp
    from notification_deliveries d join notification_integrations i on i.id = d.integration_id
    where d.id = ${deliveryId} and d.status = 'pending'`);
  return row ?? null;
}

/** Not an attempt: the target is busy with others. */
async function putOff(db: Db, { id, attempts }: Row, ms: number): Promise<DeliveryView> {
  await db.execute(sql`
    update notification_deliveries set due_at = svc_now() + ${ms} * interval '1 millisecond'
    where id = ${id} and status = 'pending' and attempts = ${attempts}`);
  return { open: true, attempts, nextMs: ms };
}

/** Write down how an attempt ended. What another attempt of the same delivery has settled since is left as it is. */
async function settle(
  { db, count }: DeliveryDeps,
  row: Row,
  attempts: number,
  { verdict, left }: Attempt,
): Promise<DeliveryView> {
  count?.(verdict.outcome);
  const facts = { event: row.event_type, outcome: verdict.outcome === "sent" ? "the target took it" : verdict.error };
  if (verdict.outcome === "sent") {
    await db.execute(sql`delete from notification_deliveries where id = ${row.id}`);
    return { open: false, attempts, nextMs: null, ...facts };
  }
  const dead = verdict.outcome === "dead";
  const [after] = await db.execute<{ ms: number }>(sql`
    update notification_deliveries set attempts = ${attempts}, recipients = coalesce(${sql.param(left)}::text[], recipients),
      last_status = ${verdict.status}::int, last_error = ${verdict.error}::text,
      status = ${dead ? "dead" : "pending"}, dead_at = ${dead ? sql`svc_now()` : sql`null`}, due_at = ${dead ? sql`due_at` : dueAt(verdict)}
    where id = ${row.id} and status = 'pending' and attempts = ${row.attempts}
    returning ${msUntilDue} as ms`);
  if (after === undefined) return { open: true, attempts, nextMs: 1_000, ...facts };
  return { open: !dead, attempts, nextMs: dead ? null : after.ms, ...facts };
}

/**
 * After the schedule's pause, and not before the target wants to be asked: a date is compared with the database's
 * clock.
 */
function dueAt({ pauseMs, notBefore }: Extract<Verdict, { outcome: "retry" }>) {
  const scheduled = sql`svc_now() + ${pauseMs}::float8 * interval '1 millisecond'`;
  if (notBefore === null) return scheduled;
  if ("afterMs" in notBefore) {
    return sql`greatest(${scheduled}, svc_now() + ${notBefore.afterMs}::float8 * interval '1 millisecond')`;
  }
  const longest = sql`svc_now() + ${LONGEST_RETRY_AFTER_MS}::float8 * interval '1 millisecond'`;
  return sql`greatest(${scheduled}, least(${notBefore.at}::timestamptz, ${longest}))`;
}
