import { queryOptions } from "@tanstack/react-query";
import { answerOf } from "../../../clients/api/client.ts";
import type { operations } from "../../../clients/api/schema.d.ts";
import { api } from "./api.ts";
import { keys } from "./keys.ts";
import { pagedQuery } from "./pages.ts";

export const notificationsKey = (org: string) => [...keys.org(org), "notifications"] as const;
const at = (org: string) => ({ org_id: org });

export function notificationIntegrationsQuery(org: string) {
  return pagedQuery([...notificationsKey(org), "list"], (page, signal) =>
    answerOf(
      api.GET("/api/v1/orgs/{org_id}/notification-integrations", {
        params: { path: at(org), query: { sort: "name", order: "asc", ...page } },
        signal,
      }),
    ),
  );
}

export function notificationIntegrationQuery(org: string, id: string) {
  return queryOptions({
    queryKey: [...notificationsKey(org), "one", id],
    queryFn: ({ signal }) =>
      answerOf(
        api.GET("/api/v1/orgs/{org_id}/notification-integrations/{notification_integration_id}", {
          params: { path: { ...at(org), notification_integration_id: id } },
          signal,
        }),
      ),
  });
}

export type DeliveryFilter = Pick<
  NonNullable<operations["listNotificationDeliveries"]["parameters"]["query"]>,
  "status" | "event_type" | "integration_id"
>;

/** What is in flight or was given up; what arrived is gone. */
export function deliveriesQuery(org: string, filter: DeliveryFilter) {
  const query = pagedQuery([...notificationsKey(org), "deliveries", filter], (page, signal) =>
    answerOf(
      api.GET("/api/v1/orgs/{org_id}/notification-deliveries", {
        params: { path: at(org), query: { ...filter, ...page } },
        signal,
      }),
    ),
  );
  return { ...query, refetchInterval: 15_000 };
}
