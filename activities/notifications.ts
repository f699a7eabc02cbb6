/** Adapter on the `notify` task queue: makes the attempts of notifications. */
import { type DeliveryDeps, deliver } from "../src/exchange/notifications/deliver.ts";
import type { NotificationActivities } from "../workflows/views.ts";

export function notificationActivities(deps: DeliveryDeps): NotificationActivities {
  return { deliver: (deliveryId) => deliver(deps, deliveryId) };
}
