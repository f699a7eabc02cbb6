/**
 * Works through what arrived about one branch, in order, until nothing is left
 * (docs/rules/source-control.md#the-inbox).
 */
import { continueAsNew, proxyActivities } from "@temporalio/workflow";
import { SLOW_WORK } from "./activityOptions.ts";
import { SCM_EVENT_SIGNALS, TASK_QUEUES } from "./contract.ts";
import { untilDone } from "./untilDone.ts";
import type { BranchView, ScmEventActivities } from "./views.ts";

/** What a host refuses is counted and put off in the rows themselves. Only an outage of our own fails the activity. */
const OPTIONS = { taskQueue: TASK_QUEUES.scm, ...SLOW_WORK } as const;
const scm = proxyActivities<ScmEventActivities>(OPTIONS);

export async function scmEvent(key: string): Promise<{ ended: string }> {
  await untilDone({
    signals: SCM_EVENT_SIGNALS,
    step: () => scm.processBranch.executeWithOptions({ ...OPTIONS, summary: "work on what arrived" }, [key]),
    describe,
    beginAnew: () => continueAsNew<typeof scmEvent>(key),
  });
  return { ended: "idle" };
}

/** "2 events wait to be tried again". */
function describe({ open }: BranchView): string {
  return open === 0 ? "nothing is left to do" : `${open} events wait to be tried again`;
}
