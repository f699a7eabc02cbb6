import type { Hono } from "hono";
import * as v from "valibot";
import { type AppEnv, endpoint } from "../../http/endpoint.ts";
import { listFields } from "../../http/listQuery.ts";
import type { SealedDeps } from "../sealedIntegration/writing.ts";
import { integrationAnswer as answer, Integration, IntegrationBody, IntegrationPage } from "./integrationFields.ts";
import {
  assertMayMail,
  authorizeIntegration,
  createIntegration,
  deleteIntegration,
  INTEGRATION_LIST,
  listIntegrations,
  updateIntegration,
} from "./integrations.ts";
import type { InstallationMail } from "./mail/installationMail.ts";

const MANY = "/api/v1/orgs/:org_id/notification-integrations";
const ONE = "/api/v1/orgs/:org_id/notification-integrations/:notification_integration_id";
export const tag = "notifications";

/** Where an organization's events go. */
export function integrationRoutes(app: Hono<AppEnv>, deps: SealedDeps & { mail: InstallationMail }): void {
  const { service, mail } = deps;
  endpoint(
    app,
    "post",
    MANY,
    {
      id: "createNotificationIntegration",
      tag,
      summary: "Create a notification integration",
      description: "The address, secret, headers and password in auth_config can be written and never read.",
      body: IntegrationBody,
      answer: Integration,
      status: 201,
      problems: [403, 404, 409],
    },
    async ({ principal, params, body }) => {
      const settings = await body();
      const check = async () => assertMayMail(mail, settings, null);
      return answer(await createIntegration(deps, principal, params.org_id, settings, check));
    },
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
        "while the address keeps its scheme, host and port, and a password only while host, port and user name do; null " +
        "removes them. Deliveries in flight are given up when it is disabled.",
      body: IntegrationBody,
      answer: Integration,
      problems: [404, 409],
    },
    async ({ principal, params, body }) => {
      const { org_id, notification_integration_id } = params;
      const row = await authorizeIntegration(service.db, principal, org_id, notification_integration_id, "update");
      const settings = await body();
      const check = async () => assertMayMail(mail, settings, row);
      return answer(await updateIntegration(deps, principal, row, settings, check));
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
