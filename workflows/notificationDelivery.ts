/** Sends one notification until its target takes it or it is dead (design 3, 6.6). */
import { continueAsNew, proxyActivities } from "@temporalio/workflow";
import { type DeliveryView, NOTIFICATION_SIGNALS, type NotificationActivities, TASK_QUEUES } from "./contract.ts";
import { untilDone } from "./untilDone.ts";

/**
 * What a target refuses is counted and put off in the row itself. Only an outage of our own, or a killed worker, fails the
 * activity, and that is tried again for as long as it takes. An attempt is bounded to 10 s.
 */
const OPTIONS = {
  taskQueue: TASK_QUEUES.notify,
  startToCloseTimeout: "30 seconds",
  retry: { initialInterval: "500 milliseconds", backoffCoefficient: 2, maximumInterval: "15 seconds" },
} as const;
const notify = proxyActivities<NotificationActivities>(OPTIONS);

export async function notificationDelivery(deliveryId: string): Promise<{ attempts: number }> {
  const { attempts } = await untilDone({
    signals: NOTIFICATION_SIGNALS,
    step: () => notify.deliver.executeWithOptions({ ...OPTIONS, summary: "send what is due" }, [deliveryId]),
    describe,
    beginAnew: () => continueAsNew<typeof notificationDelivery>(deliveryId),
  });
  return { attempts };
}

/** "waits for its next attempt; 3 were made". */
function describe({ attempts, nextMs }: DeliveryView): string {
  if (nextMs === null) return `over; ${attempts} attempts were made`;
  return attempts === 0 ? "its target is busy with others" : `waits for its next attempt; ${attempts} were made`;
}
