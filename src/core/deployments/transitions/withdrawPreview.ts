/**
 * A preview that its pull request has left behind: a new head, a close, a stack no longer touched
 * (docs/rules/pull-requests.md#previews-left-behind). Pure.
 */
import { isAccepted } from "../../runs/lifecycle.ts";
import type { Change, SkippedReason } from "../change.ts";
import { endLiveRun } from "../decideRunEnd.ts";
import { type Lane, liveRun } from "../lane.ts";
import { isTerminal } from "../lifecycle.ts";
import { rereadMessages, runMessages } from "./messages.ts";

export type WithdrawnFor = Extract<SkippedReason, "superseded" | "pull_request_closed" | "retracted">;

/**
 * What withdrawing a preview changes; null when it has ended or is being cancelled already. A parked one is skipped
 * with the reason; one whose run nobody has accepted ends cancelled at once; a running one is asked to stop, as by a
 * person.
 */
export function withdrawPreview(lane: Lane, reason: WithdrawnFor): Change | null {
  const { status } = lane.deployment;
  if (isTerminal(status) || status === "requested_cancellation" || status === "cancelling") return null;
  const event = { name: "preview_withdrawn", data: { skipped_reason: reason } } as const;
  if (status === "waiting") {
    const messages = rereadMessages(lane, "api");
    return { stage: "skipped", deployment: { to: "skipped", skippedReason: reason }, event, messages };
  }
  const run = liveRun(lane);
  if (run && isAccepted(run.status)) {
    return {
      run: { id: run.id, from: run.status, to: "requested_cancellation" },
      stage: "requested_cancellation",
      deployment: { to: "requested_cancellation" },
      event: { name: "deployment_cancellation_requested", data: event.data },
      messages: [{ kind: "signalLease", runId: run.id, signal: "cancelRequested" }, ...rereadMessages(lane, "api")],
    };
  }
  return {
    ...endLiveRun(lane, "cancelled"),
    stage: "cancelled",
    deployment: { to: "cancelled" },
    event: { name: "deployment_cancelled", data: event.data },
    messages: run ? runMessages(lane, run, "api") : rereadMessages(lane, "api"),
  };
}
