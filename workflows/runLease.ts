/**
 * Watches one claimed run: its lease, its runner's silence, a cancel nobody answers, its longest duration
 * (docs/rules/runs.md#silence-ends-a-run).
 */
import { continueAsNew, defineQuery, defineSignal, defineUpdate, setHandler } from "@temporalio/workflow";
import { core } from "./activities.ts";
import { LEASE_SIGNALS, LEASE_WAKES, STATE_QUERY } from "./contract.ts";
import { watchRow } from "./rowWatch.ts";
import type { LeaseResult, RunView } from "./views.ts";

export async function runLease(runId: string): Promise<LeaseResult> {
  const row = watchRow<RunView>({
    read: () => core("readRun", [runId], "read the run"),
    due: () => core("runDeadline", [runId], "a deadline came"),
    isOver: (view) => !view.live,
    deadlineMs: (view) => view.deadlineMs,
    describe,
  });
  for (const signal of LEASE_SIGNALS) setHandler(defineSignal(signal), row.reread);
  for (const wake of LEASE_WAKES) setHandler(defineUpdate<void>(wake), row.reread);
  setHandler(defineQuery<RunView | null>(STATE_QUERY), row.view);

  const end = await row.untilOver();
  if (end.continueAsNew) return continueAsNew<typeof runLease>(runId);
  return { ended: end.view.found ? end.view.status : "absent" };
}

/** "apply_run: running". What it waits for is the next of its limits; the timer's length says when. */
function describe({ found, kind, status }: RunView): string {
  if (!found) return "the run is gone";
  if (status === "assigned") return `${kind}: waiting for its runner to accept`;
  if (status === "running") return `${kind}: running, watching its runner`;
  if (status === "requested_cancellation" || status === "cancelling") return `${kind}: waiting for its runner to stop`;
  return `${kind}: ${status}`;
}
