/**
 * Works on one background task of an organization or a stack, slice by slice, until it is done
 * (docs/rules/workflows.md#background-tasks).
 */
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
import { SLOW_WORK } from "./activityOptions.ts";
import { STATE_QUERY, TASK_QUEUES, TASK_SIGNALS } from "./contract.ts";
import type { TaskActivities, TaskView } from "./views.ts";

/**
 * A failing slice is counted and put off in the row itself. Only an outage of our own fails the activity. It may wait
 * for a slot as long as it must.
 */
const OPTIONS = { taskQueue: TASK_QUEUES.tasks, ...SLOW_WORK } as const;
const tasks = proxyActivities<TaskActivities>(OPTIONS);

const DAY = 24 * 3_600_000;

export async function orgTask(key: string): Promise<{ ended: string }> {
  const heard = { again: 0, reread: 0 };
  let view: TaskView | null = null;
  for (const signal of TASK_SIGNALS) setHandler(defineSignal(signal), () => void heard[signal]++);
  setHandler(defineQuery<TaskView | null>(STATE_QUERY), () => view);

  for (;;) {
    const before = { ...heard };
    view = await tasks.runTaskSlice.executeWithOptions(
      // Slots go round between organizations, however many tasks one of them has.
      { ...OPTIONS, priority: { fairnessKey: organization() }, summary: "one slice" },
      [key],
    );
    setCurrentDetails(describe(view));
    if (view.nextMs === null) {
      if (before.again !== heard.again || before.reread !== heard.reread) continue;
      return { ended: view.status };
    }
    if (workflowInfo().continueAsNewSuggested) return continueAsNew<typeof orgTask>(key);
    // A task that is put off stays so when it is asked for again: only an operator hurries it.
    if (view.nextMs > 0) {
      await condition(() => before.reread !== heard.reread, Math.min(view.nextMs, DAY), { summary: describe(view) });
    }
  }
}

function organization(): string {
  const values = workflowInfo().searchAttributes.OrgId;
  return String(values?.[0] ?? "");
}

/** "waits until its next slice is due, after 3 failures in a row". */
function describe({ status, nextMs, failures }: TaskView): string {
  if (status === "newer") return "left to newer workers";
  if (nextMs === null) return "done";
  const after =
    failures === undefined ? "" : `, after ${failures === 1 ? "a failure" : `${failures} failures in a row`}`;
  return `${nextMs === 0 ? "its next slice begins at once" : "waits until its next slice is due"}${after}`;
}
