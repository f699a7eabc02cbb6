/**
 * A preview that its pull request has left behind: a new head, a close, a stack no longer touched
 * (docs/rules/pull-requests.md#previews-left-behind). Pure.
 */
import type { Change, SkippedReason } from "../change.ts";
import type { Lane } from "../lane.ts";
import { isTerminal } from "../lifecycle.ts";
import { isBeingCancelled } from "../possible.ts";
import { rereadMessages } from "./messages.ts";
import { withdraw } from "./withdraw.ts";

export type WithdrawnFor = Extract<SkippedReason, "superseded" | "pull_request_closed" | "retracted">;

/**
 * What withdrawing a preview changes; null when it has ended or is being cancelled already. A parked one is skipped
 * with the reason; one whose run nobody has accepted ends cancelled at once; a running one is asked to stop, as by a
 * person.
 */
export function withdrawPreview(lane: Lane, reason: WithdrawnFor): Change | null {
  const { status } = lane.deployment;
  if (isTerminal(status) || isBeingCancelled(status)) return null;
  const event = { name: "preview_withdrawn", data: { skipped_reason: reason } } as const;
  if (status === "waiting") {
    const messages = rereadMessages(lane, "api");
    return { stage: "skipped", deployment: { to: "skipped", skippedReason: reason }, event, messages };
  }
  return withdraw(lane, { data: event.data });
}
