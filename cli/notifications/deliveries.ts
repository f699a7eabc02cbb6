/** `deploy notifications deliveries|retry`: what has not arrived, and sending it again. */
import { answerOf } from "../../clients/api/client.ts";
import { type Action, sessionOf } from "../context.ts";
import { limitOf } from "../deployments/lists.ts";
import { EXIT } from "../exit/exitCodes.ts";
import type { NotificationDelivery } from "../service/types.ts";

export type DeliveryOptions = { limit?: string; status?: "pending" | "dead" };

export const list: Action<DeliveryOptions> = async (context) => {
  const { options, screen } = context;
  const { api, orgId } = await sessionOf(context);
  const query = { limit: limitOf(options.limit), ...(options.status && { status: options.status }) };
  const params = { path: { org_id: orgId }, query };
  const page = await answerOf(api.GET("/api/v1/orgs/{org_id}/notification-deliveries", { params }));
  screen.value(page);
  screen.table<NotificationDelivery>(page.items, [
    { title: "delivery", value: ({ id }) => id },
    { title: "to", value: ({ integration_name }) => integration_name },
    { title: "event", value: ({ event_type }) => event_type },
    { title: "status", value: ({ status }) => status },
    { title: "attempts", value: ({ attempts }) => attempts },
    { title: "next", value: ({ next_attempt_at }) => next_attempt_at },
    { title: "last", value: ({ last_error }) => last_error, cut: true },
  ]);
  if (page.next_cursor !== null) screen.note("There are more: --limit.");
  if (page.items.length === 0) screen.note("Nothing is on the way or was given up.");
  return EXIT.done;
};

export const retry: Action<DeliveryOptions> = async (context, id) => {
  const { api, orgId } = await sessionOf(context);
  const path = { org_id: orgId, delivery_id: id ?? "" };
  const delivery = await answerOf(
    api.POST("/api/v1/orgs/{org_id}/notification-deliveries/{delivery_id}/retry", { params: { path } }),
  );
  context.screen.value(delivery);
  context.screen.note(`It is sent to ${delivery.integration_name} again.`);
  return EXIT.done;
};
