/** Notification integrations, what is in flight or dead, and trying. */
import type { Hono } from "hono";
import type { AppEnv } from "../../http/endpoint.ts";
import { deliveryRoutes } from "./deliveryRoutes.ts";
import { integrationRoutes } from "./integrationRoutes.ts";
import type { TestSendDeps } from "./testSend.ts";

export type NotificationRoutesDeps = Pick<TestSendDeps, "egress" | "mail" | "timeoutMs">;

export function notificationRoutes(app: Hono<AppEnv>, deps: TestSendDeps): void {
  integrationRoutes(app, deps);
  deliveryRoutes(app, deps);
}
