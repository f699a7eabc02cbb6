/** A person does without a deployment that queues or waits. Pure. */
import type { Actor } from "../../../work/domainEvent.ts";
import type { ActivityKind, DecisionEffect } from "../change.ts";
import { endLiveRun } from "../decideRunEnd.ts";
import { InvalidTransitionError } from "../errors.ts";
import type { Lane } from "../lane.ts";
import { POSSIBLE } from "../possible.ts";
import { rereadMessages, type Via } from "./messages.ts";

export function decideSkip(lane: Lane, actor: Actor, activity: ActivityKind, via: Via): DecisionEffect {
  if (!POSSIBLE.skip({ ...lane.deployment, runs: lane.runs }))
    throw new InvalidTransitionError("skip", lane.deployment.status);
  return {
    change: {
      ...endLiveRun(lane, "discarded"),
      stage: "skipped",
      deployment: { to: "skipped" },
      activity: [{ kind: activity, actor }],
      event: { name: "deployment_skipped", actor },
      messages: rereadMessages(lane, via),
    },
  };
}
