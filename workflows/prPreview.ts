/**
 * Watches one pull request on one stack: tells the code host how its preview stands, in order, until it closes
 * (docs/rules/pull-requests.md#publishing).
 */
import {
  allHandlersFinished,
  condition,
  continueAsNew,
  defineQuery,
  defineSignal,
  isCancellation,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  sleep,
  TemporalFailure,
  workflowInfo,
} from "@temporalio/workflow";
import { core } from "./activities.ts";
import { PREVIEW_SIGNALS, STATE_QUERY, TASK_QUEUES } from "./contract.ts";
import type { PreviewActivities, PreviewView, Published } from "./views.ts";

/**
 * One try: the pauses between tries are timers of the workflow, so that a close ends it at once and news are not
 * missed.
 */
const OPTIONS = {
  taskQueue: TASK_QUEUES.scm,
  startToCloseTimeout: "1 minute",
  // Also when no worker serves the queue: a close must not wait for one.
  scheduleToCloseTimeout: "2 minutes",
  retry: { maximumAttempts: 1 },
} as const;
const scm = proxyActivities<PreviewActivities>(OPTIONS);

const FIRST_PAUSE = 5_000;
const LONGEST_PAUSE = 300_000;

export async function prPreview(key: string): Promise<{ ended: string }> {
  let asked = 1;
  let view: PreviewView | null = null;
  let failures = 0;
  let paused = false;
  let refused: string | null = null;
  for (const signal of PREVIEW_SIGNALS) setHandler(defineSignal(signal), () => void asked++);
  setHandler(defineQuery<PreviewView | null>(STATE_QUERY), () => view);

  /** Longer after each failure, and as long as the host asked for. News meanwhile are read but not published. */
  async function pause(notBeforeMs: number | null): Promise<void> {
    failures += 1;
    paused = true;
    const ms = Math.max(Math.min(FIRST_PAUSE * 2 ** (failures - 1), LONGEST_PAUSE), notBeforeMs ?? 0);
    await sleep(ms, { summary: "the code host refused; try again" });
    paused = false;
  }

  for (;;) {
    const reasons: number = asked;
    view = await core("readPreview", [key], "read the pull request");
    setCurrentDetails(describe(view, refused));
    if (reasons !== asked) continue;
    if (!view.open) return { ended: "closed" };
    if (workflowInfo().continueAsNewSuggested && !paused) {
      await condition(allHandlersFinished);
      if (reasons === asked) return continueAsNew<typeof prPreview>(key);
      continue;
    }
    if (view.unpublished && !paused) {
      const tried = await publish(key, describe(view, null));
      if (tried.outcome === "published") {
        // What was published is in the row, and so is what came meanwhile.
        failures = 0;
        refused = null;
        continue;
      }
      refused = tried.reason ?? "the try broke off";
      setCurrentDetails(describe(view, refused));
      // Rejected only when the workflow is cancelled, which the main wait tells too.
      pause(tried.notBeforeMs).catch(() => {});
    }
    const wasPaused: boolean = paused;
    await condition(() => reasons !== asked || (wasPaused && !paused));
  }
}

/** A try that timed out or broke counts as failed. */
async function publish(key: string, summary: string): Promise<Published> {
  try {
    return await scm.publishPreview.executeWithOptions({ ...OPTIONS, summary }, [key]);
  } catch (error) {
    if (!(error instanceof TemporalFailure) || isCancellation(error)) throw error;
    return { outcome: "failed", notBeforeMs: null };
  }
}

/** "pull request 7, stack network-prod: waiting, to be published (the code host could not be reached)". */
function describe({ open, number, stack, status, unpublished }: PreviewView, refused: string | null): string {
  if (!open) return "the pull request is closed, or does not touch the stack any more";
  const left = unpublished ? `, to be published${refused === null ? "" : ` (${refused})`}` : "";
  return `pull request ${number}, stack ${stack}: ${status ?? "no preview"}${left}`;
}
