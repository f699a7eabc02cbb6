/** Integrations that send to a test's own target, and the worker that does it. */
import { v7 as uuidv7 } from "uuid";
import { notificationActivities } from "../../activities/notifications.ts";
import { type AuthConfig, sealAuth } from "../../src/exchange/notifications/authConfig.ts";
import type { DeliveryDeps } from "../../src/exchange/notifications/deliver.ts";
import { createGate } from "../../src/exchange/notifications/targetGate.ts";
import { failureReducer } from "../../src/orchestration/temporal/activityFailures.ts";
import type { Keyring } from "../../src/platform/crypto/keyring.ts";
import type { DomainEvent } from "../../src/work/domainEvent.ts";
import { NOTIFIED_EVENTS } from "../../src/work/eventNames.ts";
import { publish } from "../../src/work/publish.ts";
import type { Service } from "../../src/work/service.ts";
import { unitOfWork } from "../../src/work/unitOfWork.ts";
import type { TestDatabase } from "./database.ts";
import type { TestHosts } from "./scm.ts";
import type { TestTemporal, TestWorker } from "./temporal.ts";

type Sending = Pick<TestHosts, "keyring" | "egress">;

/** An integration that asks for everything; `columns` may say otherwise. */
export async function makeNotifier(
  { sql }: Pick<TestDatabase, "sql">,
  keyring: Keyring,
  orgId: string,
  auth: AuthConfig,
  columns: Record<string, unknown> = {},
): Promise<string> {
  const id = uuidv7();
  const row = {
    id,
    org_id: orgId,
    name: `to-${id}`,
    provider_type: "webhook",
    events: [...NOTIFIED_EVENTS],
    auth_config: await sealAuth(keyring, id, auth),
    ...columns,
  };
  await sql`insert into notification_integrations ${sql(row)}`;
  return id;
}

/** Run a worker of the `notify` queue. Each pause of the schedule is short, unless the test says otherwise. */
export function startNotifier(
  temporal: TestTemporal,
  database: TestDatabase,
  { keyring, egress }: Sending,
  choices: Partial<DeliveryDeps> = {},
): Promise<TestWorker> {
  return temporal.startWorker({
    taskQueue: "notify",
    maxConcurrentActivityTaskExecutions: 50,
    activities: notificationActivities({
      db: database.db,
      keyring,
      egress,
      mail: { server: null, domains: [] },
      gate: createGate({ perTarget: 5, perOrg: 25 }),
      schedule: [100, 200, 300],
      ...choices,
    }),
    interceptors: { activity: [({ info }) => ({ inbound: failureReducer(info.activityType, () => {}) })] },
  });
}

/** Store an event and what follows from it, as every writer does. */
export async function tellEvent(
  service: Service,
  event: Pick<DomainEvent, "orgId" | "name"> & Partial<DomainEvent>,
): Promise<string> {
  const id = uuidv7();
  await unitOfWork(service, (work) => publish(work, { id, data: {}, ...event }));
  return id;
}
