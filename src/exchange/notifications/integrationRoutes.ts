import type { Hono } from "hono";
import * as v from "valibot";
import { labelsField } from "../../core/stacks/fields.ts";
import { Id, Labels, pageOf, Time } from "../../http/answerFields.ts";
import { type AppEnv, endpoint } from "../../http/endpoint.ts";
import { listFields } from "../../http/listQuery.ts";
import { displayName } from "../../http/textFields.ts";
import { rfc3339 } from "../../platform/time/time.ts";
import { NOTIFIED_EVENTS } from "../../work/eventNames.ts";
import type { SealedDeps } from "../sealedIntegration/writing.ts";
import { AuthConfigBody } from "./authConfig.ts";
import {
  authorizeIntegration,
  createIntegration,
  deleteIntegration,
  INTEGRATION_LIST,
  listIntegrations,
  updateIntegration,
} from "./integrations.ts";
import { type NotificationIntegrationRow, PROVIDER_TYPES } from "./schema.ts";

const MANY = "/api/v1/orgs/:org_id/notification-integrations";
const ONE = "/api/v1/orgs/:org_id/notification-integrations/:notification_integration_id";
export const tag = "notifications";

const Body = v.strictObject({
  name: displayName(100),
  provider_type: v.optional(v.picklist(PROVIDER_TYPES), "webhook"),
  enabled: v.optional(v.boolean(), true),
  events: v.pipe(
    v.array(v.picklist(NOTIFIED_EVENTS)),
    v.maxLength(100),
    v.transform((events) => NOTIFIED_EVENTS.filter((name) => events.includes(name))),
  ),
  changes_only: v.optional(v.boolean(), false),
  stack_label_selector: v.optional(labelsField({ systemKeys: true }), {}),
  // Neither provider has settings that are no secrets.
  provider_config: v.optional(v.strictObject({}), {}),
  auth_config: v.optional(AuthConfigBody),
});

const Integration = v.pipe(
  v.object({
    id: Id,
    org_id: Id,
    name: v.string(),
    provider_type: v.picklist(PROVIDER_TYPES),
    enabled: v.boolean(),
    events: v.array(v.picklist(NOTIFIED_EVENTS)),
    changes_only: v.boolean(),
    stack_label_selector: Labels,
    provider_config: v.object({}),
    auth_config_summary: v.object({ has_secret: v.boolean(), header_count: v.number() }),
    created_at: Time,
    updated_at: Time,
  }),
  v.metadata({ ref: "NotificationIntegration" }),
);
const IntegrationPage = v.pipe(pageOf(Integration), v.metadata({ ref: "NotificationIntegrationPage" }));

/** Where an organization's events go. */
export function integrationRoutes(app: Hono<AppEnv>, deps: SealedDeps): void {
  const { service } = deps;
  endpoint(
    app,
    "post",
    MANY,
    {
      id: "createNotificationIntegration",
      tag,
      summary: "Create a notification integration",
      description: "The address, the secret and the headers in auth_config can be written and never read.",
      body: Body,
      answer: Integration,
      status: 201,
      problems: [403, 404, 409],
    },
    async ({ principal, params, body }) =>
      answer(await createIntegration(deps, principal, params.org_id, await body())),
  );
  endpoint(
    app,
    "get",
    MANY,
    {
      id: "listNotificationIntegrations",
      tag,
      summary: "List the notification integrations",
      query: v.strictObject(listFields(Object.keys(INTEGRATION_LIST.fields))),
      answer: IntegrationPage,
      problems: [403],
    },
    async ({ principal, params, query }) => {
      const { items, next_cursor } = await listIntegrations(service.db, principal, params.org_id, query());
      return { items: items.map(answer), next_cursor };
    },
  );
  endpoint(
    app,
    "get",
    ONE,
    {
      id: "getNotificationIntegration",
      tag,
      summary: "Read a notification integration",
      answer: Integration,
      problems: [404],
    },
    async ({ principal, params }) =>
      answer(
        await authorizeIntegration(service.db, principal, params.org_id, params.notification_integration_id, "read"),
      ),
  );
  endpoint(
    app,
    "put",
    ONE,
    {
      id: "replaceNotificationIntegration",
      tag,
      summary: "Replace a notification integration's settings",
      description:
        "Without auth_config the stored address, secret and headers stay. With it, a secret or headers left out stay only " +
        "while the address keeps its scheme, host and port; null removes them. Deliveries in flight are given up when it is disabled.",
      body: Body,
      answer: Integration,
      problems: [404, 409],
    },
    async ({ principal, params, body }) => {
      const { org_id, notification_integration_id } = params;
      const row = await authorizeIntegration(service.db, principal, org_id, notification_integration_id, "update");
      return answer(await updateIntegration(deps, principal, row, await body()));
    },
  );
  endpoint(
    app,
    "delete",
    ONE,
    {
      id: "deleteNotificationIntegration",
      tag,
      summary: "Delete a notification integration and its deliveries, also those in flight",
      problems: [404],
    },
    async ({ principal, params }) => {
      const { org_id, notification_integration_id } = params;
      const row = await authorizeIntegration(service.db, principal, org_id, notification_integration_id, "delete");
      await deleteIntegration(service, principal, row);
    },
  );
}

function answer(row: NotificationIntegrationRow): v.InferInput<typeof Integration> {
  return {
    id: row.id,
    org_id: row.orgId,
    name: row.name,
    provider_type: row.providerType,
    enabled: row.enabled,
    events: row.events,
    changes_only: row.changesOnly,
    stack_label_selector: row.stackLabelSelector,
    provider_config: {},
    auth_config_summary: row.authConfigSummary,
    created_at: rfc3339(row.createdAt),
    updated_at: rfc3339(row.updatedAt),
  };
}
