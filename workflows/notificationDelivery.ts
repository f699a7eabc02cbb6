/** Sends one notification until its target takes it or it is dead (design 3, 6.6). */
import {
  condition,
  continueAsNew,
  defineQuery,
  defineSignal,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from "@temporalio/workflow";
import {
  type DeliveryView,
  NOTIFICATION_SIGNALS,
  type NotificationActivities,
  STATE_QUERY,
  TASK_QUEUES,
} from "./contract.ts";

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

const DAY = 24 * 3_600_000;

export async function notificationDelivery(deliveryId: string): Promise<{ attempts: number }> {
  let asked = 1;
  let view: DeliveryView | null = null;
  for (const signal of NOTIFICATION_SIGNALS) setHandler(defineSignal(signal), () => void asked++);
  setHandler(defineQuery<DeliveryView | null>(STATE_QUERY), () => view);

  for (;;) {
    const reasons: number = asked;
    view = await notify.deliver.executeWithOptions({ ...OPTIONS, summary: "send what is due" }, [deliveryId]);
    if (reasons !== asked) continue;
    if (view.nextMs === null) return { attempts: view.attempts };
    setCurrentDetails(describe(view));
    if (workflowInfo().continueAsNewSuggested) return continueAsNew<typeof notificationDelivery>(deliveryId);
    await condition(() => reasons !== asked, Math.min(Math.max(view.nextMs, 1), DAY), { summary: describe(view) });
  }
}

/** "waits for its next attempt; 3 were made". */
function describe({ attempts }: DeliveryView): string {
  return attempts === 0 ? "its target is busy with others" : `waits for its next attempt; ${attempts} were made`;
}
