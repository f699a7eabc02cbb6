import type { Hono } from "hono";
import * as v from "valibot";
import { Id, pageOf, Time } from "../../http/answerFields.ts";
import { type AppEnv, endpoint } from "../../http/endpoint.ts";
import { listFields } from "../../http/listQuery.ts";
import { rfc3339 } from "../../platform/time/time.ts";
import { NOTIFIED_EVENTS } from "../../work/eventNames.ts";
import type { Service } from "../../work/service.ts";
import { DELIVERY_LIST, type DeliveryRow, listDeliveries, retryDelivery } from "./deliveries.ts";
import { tag } from "./integrationRoutes.ts";
import { authorizeIntegration } from "./integrations.ts";
import { DELIVERY_STATUSES } from "./schema.ts";
import { TEST_RESULTS, type TestSendDeps, testSend } from "./testSend.ts";

const ORG = "/api/v1/orgs/:org_id";

const Delivery = v.pipe(
  v.object({
    id: v.pipe(Id, v.metadata({ description: "what the target gets as X-Svc-Delivery" })),
    integration_id: Id,
    integration_name: v.string(),
    event_type: v.string(),
    stack_id: v.nullable(v.string()),
    deployment_id: v.nullable(v.string()),
    status: v.picklist(DELIVERY_STATUSES),
    attempts: v.number(),
    last_status: v.nullable(v.number()),
    last_error: v.nullable(v.string()),
    next_attempt_at: v.nullable(Time),
    created_at: Time,
    dead_at: v.nullable(Time),
  }),
  v.metadata({ ref: "NotificationDelivery" }),
);
const DeliveryPage = v.pipe(pageOf(Delivery), v.metadata({ ref: "NotificationDeliveryPage" }));

/** What did not get through yet, or never, and a way to try (docs/rules/notifications.md#what-did-not-get-through). */
export function deliveryRoutes(app: Hono<AppEnv>, deps: TestSendDeps): void {
  const { service }: { service: Service } = deps;
  endpoint(
    app,
    "get",
    `${ORG}/notification-deliveries`,
    {
      id: "listNotificationDeliveries",
      tag,
      summary: "List the deliveries that are in flight or dead",
      description: "A delivery that its target took is gone. Needs (notification_integration, read).",
      query: v.strictObject({
        ...listFields(Object.keys(DELIVERY_LIST.fields)),
        status: v.optional(v.picklist(DELIVERY_STATUSES)),
        event_type: v.optional(v.picklist(NOTIFIED_EVENTS)),
        integration_id: v.optional(Id),
      }),
      answer: DeliveryPage,
      problems: [403],
    },
    async ({ principal, params, query }) => {
      const { items, next_cursor } = await listDeliveries(service.db, principal, params.org_id, query());
      return { items: items.map(answer), next_cursor };
    },
  );
  endpoint(
    app,
    "post",
    `${ORG}/notification-deliveries/:delivery_id/retry`,
    {
      id: "retryNotificationDelivery",
      tag,
      summary: "Send a delivery again that is dead, or waits for its next attempt, with the same id and body",
      description: "Needs (notification_integration, update). Its attempts are counted anew.",
      answer: Delivery,
      status: 202,
      problems: [404, 409],
    },
    async ({ principal, params }) => answer(await retryDelivery(service, principal, params.org_id, params.delivery_id)),
  );
  endpoint(
    app,
    "post",
    `${ORG}/notification-integrations/:notification_integration_id/test`,
    {
      id: "testNotificationIntegration",
      tag,
      summary: "Send a sample at once and tell how the target answered",
      description:
        "Needs (notification_integration, update). Only the class of the status is told. Nothing is stored or retried.",
      answer: v.object({ result: v.picklist(TEST_RESULTS) }),
      problems: [404, 409],
    },
    async ({ principal, params }) => {
      const { org_id, notification_integration_id } = params;
      const row = await authorizeIntegration(service.db, principal, org_id, notification_integration_id, "update");
      return { result: await testSend(deps, principal, row) };
    },
  );
}

function answer(row: DeliveryRow): v.InferInput<typeof Delivery> {
  return {
    id: row.id,
    integration_id: row.integration_id,
    integration_name: row.integration_name,
    event_type: row.event_type,
    stack_id: row.stack_id,
    deployment_id: row.deployment_id,
    status: row.status,
    attempts: row.attempts,
    last_status: row.last_status,
    last_error: row.last_error,
    next_attempt_at: row.status === "pending" ? rfc3339(row.due_at) : null,
    created_at: rfc3339(row.created_at),
    dead_at: rfc3339(row.dead_at),
  };
}
