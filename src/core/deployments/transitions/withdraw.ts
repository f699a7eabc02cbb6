/** The end of what nobody needs any more, by no decision of a person's. Pure. */
import { isAccepted } from "../../runs/lifecycle.ts";
import type { Change } from "../change.ts";
import { endLiveRun } from "../decideRunEnd.ts";
import { type Lane, liveRun } from "../lane.ts";
import { rereadMessages, runMessages } from "./messages.ts";

/** What no runner has accepted ends at once; a runner that works on it is asked to stop, as by a person. */
export function withdraw(lane: Lane, about: { data?: NonNullable<Change["event"]["data"]> } = {}): Change {
  const run = liveRun(lane);
  if (run && isAccepted(run.status)) {
    return {
      run: { id: run.id, from: run.status, to: "requested_cancellation" },
      stage: "requested_cancellation",
      deployment: { to: "requested_cancellation" },
      event: { name: "deployment_cancellation_requested", ...about },
      messages: [{ kind: "signalLease", runId: run.id, signal: "cancelRequested" }, ...rereadMessages(lane, "api")],
    };
  }
  return {
    ...endLiveRun(lane, "cancelled"),
    stage: "cancelled",
    deployment: { to: "cancelled" },
    event: { name: "deployment_cancelled", ...about },
    messages: run ? runMessages(lane, run, "api") : rereadMessages(lane, "api"),
  };
}
