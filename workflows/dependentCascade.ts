/** Triggers what depends on an apply, some dependents at a time, until each has its deployment or a reason. */
import { continueAsNew, proxyActivities } from "@temporalio/workflow";
import { SLOW_WORK } from "./activityOptions.ts";
import { CASCADE_SIGNALS, TASK_QUEUES } from "./contract.ts";
import { untilDone } from "./untilDone.ts";
import type { CascadeActivities, CascadeTold, CascadeView } from "./views.ts";

/**
 * A dependent that cannot be triggered is counted and put off in its row. Only an outage of our own fails the activity.
 */
const OPTIONS = { taskQueue: TASK_QUEUES.cascade, ...SLOW_WORK } as const;
const cascade = proxyActivities<CascadeActivities>(OPTIONS);

export async function dependentCascade(parentDeploymentId: string): Promise<{ ended: string; told?: CascadeTold }> {
  const { told } = await untilDone<CascadeView>({
    signals: CASCADE_SIGNALS,
    step: (last) => {
      const summary = last === null || last.waitedMs !== undefined ? "who depends on it" : "trigger dependents";
      return cascade.resolveDependents.executeWithOptions({ ...OPTIONS, summary }, [
        parentDeploymentId,
        last?.waitedMs ?? 0,
      ]);
    },
    describe,
    beginAnew: () => continueAsNew<typeof dependentCascade>(parentDeploymentId),
  });
  return { ended: "resolved", ...(told && { told }) };
}

/**
 * "apply of stack network: 12 dependents are still to be triggered, 2 of them after a failure (40 triggered, 3 wait for
 * a person)".
 */
function describe({ open, told, waitedMs }: CascadeView): string {
  if (waitedMs !== undefined) return "waits until what runs declared before the apply is read";
  const putOff = told?.putOff ? `, ${told.putOff} of them after a failure` : "";
  const left = open === 0 ? "every dependent is resolved" : `${open} dependents are still to be triggered${putOff}`;
  if (told === undefined) return left;
  const counts = [
    [told.triggered, "triggered"],
    [told.failed, "failed"],
    [told.manual, "wait for a person"],
    [told.skipped, "skipped"],
  ] as const;
  const done = counts.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
  return `apply of stack ${told.stack}: ${left}${done.length === 0 ? "" : ` (${done.join(", ")})`}`;
}
