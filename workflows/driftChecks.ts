/**
 * Keeps an organization's checks for drift going: the next due stack comes from Postgres, and the workflow sleeps until
 * then. It ends when no stack is checked any more (docs/drift.md#when-a-stack-is-checked).
 */
import { continueAsNew, proxyActivities } from "@temporalio/workflow";
import { SLOW_WORK } from "./activityOptions.ts";
import { DRIFT_SIGNALS, TASK_QUEUES } from "./contract.ts";
import { untilDone } from "./untilDone.ts";
import type { DriftActivities, DriftView } from "./views.ts";

/** What cannot be begun is put off in its row. Only an outage of our own fails the activity. Nobody waits for it. */
const OPTIONS = { taskQueue: TASK_QUEUES.tasks, ...SLOW_WORK } as const;
const drift = proxyActivities<DriftActivities>(OPTIONS);

export async function driftChecks(orgId: string): Promise<{ ended: string }> {
  await untilDone<DriftView>({
    signals: DRIFT_SIGNALS,
    step: () => drift.checkDrift.executeWithOptions({ ...OPTIONS, summary: "what is due" }, [orgId]),
    describe,
    beginAnew: () => continueAsNew<typeof driftChecks>(orgId),
  });
  return { ended: "no stack is checked" };
}

/** "1200 stacks are checked; 3 checks are under way, 1 waits for room". */
function describe({ stacks, running, waiting, nextMs }: DriftView): string {
  if (nextMs === null) return "no stack is checked";
  const wait = waiting === 0 ? "" : `, ${waiting} wait for room`;
  return `${stacks} stacks are checked; ${running} checks are under way${wait}`;
}
