/** Integrations, their inboxes, and where hosts deliver. */
import type { Hono } from "hono";
import type { AppEnv } from "../../http/endpoint.ts";
import { scmEventRoutes } from "./eventRoutes.ts";
import { type IntegrationRoutesDeps, integrationRoutes } from "./integrationRoutes.ts";
import type { Senders } from "./webhookAuth.ts";
import type { WebhookBodies } from "./webhookBody.ts";
import { webhookRoute } from "./webhookRoute.ts";

export type ScmRoutesDeps = Omit<IntegrationRoutesDeps, "service" | "keyring"> & {
  bodies: WebhookBodies;
  senders: Senders;
};

export function scmRoutes(app: Hono<AppEnv>, deps: ScmRoutesDeps & IntegrationRoutesDeps): void {
  integrationRoutes(app, deps);
  scmEventRoutes(app, deps.service);
  webhookRoute(app, deps);
}
