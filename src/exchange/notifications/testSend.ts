/**
 * A sample sent at once, past outbox and workflow: the HTTP answer is the whole result. It tells no more than the
 * class of the target's status, and everything that was no answer is one answer at one time: what is refused, closed,
 * filtered or silent cannot be told apart
 * (docs/rules/notifications.md#a-test-send-tells-no-more-than-a-status-class).
 */
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { v7 as uuidv7 } from "uuid";
import type { Subject } from "../../http/principal.ts";
import { recordAudit } from "../../people/audit/record.ts";
import { ifReadable } from "../../platform/crypto/envelope.ts";
import type { Keyring } from "../../platform/crypto/keyring.ts";
import type { Egress } from "../../platform/egress/egress.ts";
import { ProblemError } from "../../platform/problems/problem.ts";
import { rfc3339 } from "../../platform/time/time.ts";
import type { Service } from "../../work/service.ts";
import { openAuth } from "./authConfig.ts";
import type { Envelope } from "./envelope.ts";
import { bodyOf } from "./formats/formats.ts";
import { SAMPLE } from "./message.ts";
import type { NotificationIntegrationRow } from "./schema.ts";
import { type SendDeps, send } from "./send.ts";

export const TEST_RESULTS = ["2xx", "3xx", "4xx", "5xx", "no_answer"] as const;
export type TestResult = (typeof TEST_RESULTS)[number];

export type TestSendDeps = {
  service: Service;
  keyring: Keyring;
  egress: SendDeps["egress"] & Pick<Egress, "through">;
  mail: SendDeps["mail"];
  timeoutMs?: number;
};

class UnreadableSettingsError extends ProblemError {
  constructor() {
    const detail =
      "The integration's settings cannot be decrypted. Send auth_config again, or have the operator list their key.";
    super({ status: 409, code: "conflict", detail });
  }
}

const TIMEOUT_MS = 5_000;
/** A time-out is noticed a little late; nothing that is no answer is told before that. */
const MARGIN_MS = 250;

/** Send a sample to the integration that `authorizeIntegration(..., "update")` gave. */
export async function testSend(
  { service, keyring, egress, mail, timeoutMs = TIMEOUT_MS }: TestSendDeps,
  { id, kind }: Subject,
  row: NotificationIntegrationRow,
): Promise<TestResult> {
  const { orgId, providerType, providerConfig } = row;
  const { db } = service;
  const actor = { id, kind };
  await recordAudit(db, { orgId, actor, action: "notification_integration.test", resourceId: row.id });
  const [clock] = (await db.execute(sql`
    select svc_now()::text as now, floor(extract(epoch from svc_now()))::float8 as timestamp`)) as unknown as [
    { now: string; timestamp: number },
  ];
  const body = bodyOf(providerType, SAMPLE, sample(orgId, clock.now));
  const auth = await ifReadable(openAuth(keyring, row.id, row.authConfig));
  if (auth === null) throw new UnreadableSettingsError();
  const { recipients = [] } = providerConfig;
  const occurredAt = new Date(clock.timestamp * 1_000);
  const sent = { deliveryId: uuidv7(), eventType: "test", body, timestamp: clock.timestamp, recipients, occurredAt };
  return egress.through(orgId, async () => {
    const answerAt = performance.now() + timeoutMs + MARGIN_MS;
    const { outcome } = await send({ egress, mail, timeoutMs }, auth, { ...sent, to: recipients });
    const status = outcome.took ? 200 : outcome.status;
    if (status === null) await sleep(Math.max(answerAt - performance.now(), 0));
    return classOf(status);
  });
}

function sample(orgId: string, now: string): Envelope {
  return { event_type: "test", org_id: orgId, occurred_at: rfc3339(now) };
}

function classOf(status: number | null): TestResult {
  return TEST_RESULTS.find((name) => name.startsWith(String(status).charAt(0))) ?? "no_answer";
}
