/** Triggers what depends on an apply, some dependents at a time, until each has its deployment or a reason (design 3). */
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
import { CASCADE_SIGNALS, type CascadeActivities, type CascadeView, STATE_QUERY, TASK_QUEUES } from "./contract.ts";

/**
 * A dependent that cannot be triggered is counted and put off in its row. Only an outage of our own fails the activity, and that is
 * tried again for as long as it takes. It heartbeats, so that a killed worker's work is taken up soon.
 */
const OPTIONS = {
  taskQueue: TASK_QUEUES.cascade,
  startToCloseTimeout: "10 minutes",
  heartbeatTimeout: "20 seconds",
  retry: { initialInterval: "500 milliseconds", backoffCoefficient: 2, maximumInterval: "15 seconds" },
} as const;
const cascade = proxyActivities<CascadeActivities>(OPTIONS);

const DAY = 24 * 3_600_000;

export async function dependentCascade(parentDeploymentId: string): Promise<{ ended: string }> {
  let asked = 1;
  let view: CascadeView | null = null;
  for (const signal of CASCADE_SIGNALS) setHandler(defineSignal(signal), () => void asked++);
  setHandler(defineQuery<CascadeView | null>(STATE_QUERY), () => view);

  for (;;) {
    const reasons: number = asked;
    const summary = view === null ? "who depends on it" : "trigger dependents";
    view = await cascade.resolveDependents.executeWithOptions({ ...OPTIONS, summary }, [parentDeploymentId]);
    setCurrentDetails(describe(view));
    if (view.nextMs === null) return { ended: "resolved" };
    if (workflowInfo().continueAsNewSuggested) return continueAsNew<typeof dependentCascade>(parentDeploymentId);
    if (view.nextMs === 0 || reasons !== asked) continue;
    await condition(() => reasons !== asked, Math.min(view.nextMs, DAY), { summary: describe(view) });
  }
}

/** "12 dependents are still to be triggered". */
function describe({ open }: CascadeView): string {
  return open === 0 ? "every dependent is resolved" : `${open} dependents are still to be triggered`;
}
