/** Sends one notification until its target takes it or it is dead. */
import { continueAsNew, proxyActivities } from "@temporalio/workflow";
import { UNTIL_IT_WORKS } from "./activityOptions.ts";
import { NOTIFICATION_SIGNALS, TASK_QUEUES } from "./contract.ts";
import { untilDone } from "./untilDone.ts";
import type { DeliveryView, NotificationActivities } from "./views.ts";

/**
 * What a target refuses is counted and put off in the row itself. Only an outage of our own, or a killed worker, fails
 * the activity. An attempt is bounded to 10 s.
 */
const OPTIONS = {
  taskQueue: TASK_QUEUES.notify,
  startToCloseTimeout: "30 seconds",
  retry: UNTIL_IT_WORKS,
} as const;
const notify = proxyActivities<NotificationActivities>(OPTIONS);

type Result = { attempts: number; event?: string; outcome?: string };

export async function notificationDelivery(deliveryId: string): Promise<Result> {
  const { attempts, event, outcome } = await untilDone({
    signals: NOTIFICATION_SIGNALS,
    step: () => notify.deliver.executeWithOptions({ ...OPTIONS, summary: "send what is due" }, [deliveryId]),
    describe,
    beginAnew: () => continueAsNew<typeof notificationDelivery>(deliveryId),
  });
  return { attempts, ...(event && { event }), ...(outcome && { outcome }) };
}

/** "deployment_failed waits for its next attempt; 3 were made, at the last the target answered 503". */
function describe({ attempts, nextMs, event = "it", outcome }: DeliveryView): string {
  const last = outcome ? `, at the last ${outcome}` : "";
  if (nextMs === null) return `${event} is over; ${attempts} attempts were made${last}`;
  if (attempts === 0) return `${event} waits: its target is busy with others`;
  return `${event} waits for its next attempt; ${attempts} were made${last}`;
}
