/**
 * Keeps what an organization has by schedule: the next due row comes from Postgres, and the workflow sleeps until then.
 * It ends when nothing will come any more (docs/schedules.md).
 */
import { continueAsNew, proxyActivities } from "@temporalio/workflow";
import { SLOW_WORK } from "./activityOptions.ts";
import { SCHEDULES_SIGNALS, TASK_QUEUES } from "./contract.ts";
import { untilDone } from "./untilDone.ts";
import type { ScheduleActivities, SchedulesView } from "./views.ts";

/** What cannot be made is put off in its row. Only an outage of our own fails the activity. */
const OPTIONS = { taskQueue: TASK_QUEUES.cascade, ...SLOW_WORK } as const;
const { runSchedules } = proxyActivities<ScheduleActivities>(OPTIONS);

export async function schedules(orgId: string): Promise<{ ended: string }> {
  await untilDone<SchedulesView>({
    signals: SCHEDULES_SIGNALS,
    step: () => runSchedules.executeWithOptions({ ...OPTIONS, summary: "what is due" }, [orgId]),
    describe,
    beginAnew: () => continueAsNew<typeof schedules>(orgId),
  });
  return { ended: "nothing is scheduled" };
}

/** "3 schedules will come again; 1 occurrences are to be settled; 2 stacks will end". */
function describe({ schedules: coming, due, lifetimes, nextMs }: SchedulesView): string {
  if (nextMs === null) return "nothing is scheduled";
  return `${coming} schedules will come again; ${due} occurrences are to be settled; ${lifetimes} stacks will end`;
}
