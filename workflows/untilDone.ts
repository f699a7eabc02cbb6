/** The loop of a workflow that works through rows: step after step, until nothing is left. */
import {
  condition,
  defineQuery,
  defineSignal,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from "@temporalio/workflow";
import { STATE_QUERY } from "./contract.ts";

const DAY = 24 * 3_600_000;

export interface Steps<View> {
  /** Each means: look again now. */
  signals: readonly string[];
  /** One activity. `nextMs` of its answer: when to step again, 0 at once, null when nothing is left. */
  step: (last: View | null) => Promise<View>;
  /** For an operator: what the workflow does or waits for. */
  describe: (view: View) => string;
  /** Begins the workflow anew with its own arguments, when its history has become long. */
  beginAnew: () => Promise<never>;
}

/** The last step's answer is also what the workflow's query gives. */
export async function untilDone<View extends { nextMs: number | null }>(steps: Steps<View>): Promise<View> {
  let asked = 1;
  let view: View | null = null;
  for (const signal of steps.signals) setHandler(defineSignal(signal), () => void asked++);
  setHandler(defineQuery<View | null>(STATE_QUERY), () => view);

  for (;;) {
    const reasons: number = asked;
    view = await steps.step(view);
    const details = steps.describe(view);
    setCurrentDetails(details);
    if (view.nextMs === null && reasons === asked) return view;
    if (workflowInfo().continueAsNewSuggested) return steps.beginAnew();
    if (!view.nextMs || reasons !== asked) continue;
    await condition(() => reasons !== asked, Math.min(view.nextMs, DAY), { summary: details });
  }
}
