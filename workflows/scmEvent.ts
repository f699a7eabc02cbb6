/** Works through what arrived about one branch, in order, until nothing is left (design 3). */
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
import { type BranchView, SCM_EVENT_SIGNALS, type ScmEventActivities, STATE_QUERY, TASK_QUEUES } from "./contract.ts";

/**
 * What a host refuses is counted and put off in the rows themselves. Only an outage of our own fails the activity, and that is
 * tried again for as long as it takes. It heartbeats, so that a killed worker's work is taken up soon.
 */
const OPTIONS = {
  taskQueue: TASK_QUEUES.scm,
  startToCloseTimeout: "10 minutes",
  heartbeatTimeout: "20 seconds",
  retry: { initialInterval: "500 milliseconds", backoffCoefficient: 2, maximumInterval: "15 seconds" },
} as const;
const scm = proxyActivities<ScmEventActivities>(OPTIONS);

const DAY = 24 * 3_600_000;

export async function scmEvent(key: string): Promise<{ ended: string }> {
  let asked = 1;
  let view: BranchView | null = null;
  for (const signal of SCM_EVENT_SIGNALS) setHandler(defineSignal(signal), () => void asked++);
  setHandler(defineQuery<BranchView | null>(STATE_QUERY), () => view);

  for (;;) {
    const reasons: number = asked;
    view = await scm.processBranch.executeWithOptions({ ...OPTIONS, summary: "work on what arrived" }, [key]);
    setCurrentDetails(describe(view));
    if (reasons !== asked) continue;
    if (view.nextMs === null) return { ended: "idle" };
    if (workflowInfo().continueAsNewSuggested) return continueAsNew<typeof scmEvent>(key);
    await condition(() => reasons !== asked, Math.min(Math.max(view.nextMs, 1), DAY), { summary: describe(view) });
  }
}

/** "2 events wait to be tried again". */
function describe({ open }: BranchView): string {
  return open === 0 ? "nothing is left to do" : `${open} events wait to be tried again`;
}
