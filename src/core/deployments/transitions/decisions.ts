/**
 * What a person's decision does to a locked lane. Pure: each gives the change, `null` for no effect, or throws its
 * conflict.
 */

import type { DecisionKind } from "../../../../workflows/contract.ts";
import type { Actor } from "../../../work/domainEvent.ts";
import type { DecisionEffect } from "../change.ts";
import { InvalidTransitionError } from "../errors.ts";
import type { Lane } from "../lane.ts";
import { isUnclaimed } from "../possible.ts";
import { decideCancel } from "./cancel.ts";
import { decideConfirm, decideConfirmPreview } from "./decideConfirm.ts";
import { decideReview } from "./decideReview.ts";
import { decideSkip } from "./decideSkip.ts";
import type { DecisionArguments } from "./decisionArguments.ts";
import type { Via } from "./messages.ts";

type Decide = (lane: Lane, actor: Actor, args: DecisionArguments, via: Via) => DecisionEffect;

export const DECISIONS: Record<DecisionKind, Decide> = {
  confirm: decideConfirm,
  skip: (lane, actor, _args, via) => decideSkip(lane, actor, "skipped", via),
  cancel: (lane, actor, { force = false }, via) => decideCancel(lane, actor, force, via),
  prioritize: (lane, actor) => decidePriority(lane, actor, "set"),
  deprioritize: (lane, actor) => decidePriority(lane, actor, "clear"),
  confirmPreview: decideConfirmPreview,
  review: decideReview,
};

function decidePriority(lane: Lane, actor: Actor, priority: "set" | "clear"): DecisionEffect {
  const { status, prioritized_at } = lane.deployment;
  if (!isUnclaimed(lane)) throw new InvalidTransitionError(priority === "set" ? "prioritize" : "deprioritize", status);
  if ((priority === "set") === (prioritized_at !== null)) return { change: null };
  const kind = priority === "set" ? "prioritized" : "deprioritized";
  return {
    priority,
    change: { activity: [{ kind, actor }], event: { name: `deployment_${kind}`, actor } },
  };
}
