/**
 * What a person's decision does to a locked lane. Pure: each gives the change, `null` for no effect, or throws its
 * conflict.
 */

import type { DecisionKind } from "../../../../workflows/contract.ts";
import type { Actor } from "../../../work/domainEvent.ts";
import { requireOpen } from "../../gates/gate.ts";
import type { ActivityKind, Change, DecisionEffect } from "../change.ts";
import { endLiveRun } from "../decideRunEnd.ts";
import { InvalidTransitionError, PlanChangedError } from "../errors.ts";
import type { Lane } from "../lane.ts";
import { type DeploymentState, isUnclaimed, POSSIBLE, waitingPlan } from "../possible.ts";
import { decideCancel } from "./cancel.ts";
import { rereadMessages, type Via } from "./messages.ts";

export type DecisionArguments = {
  action?: "apply" | "replan" | "skip";
  plan_run_id?: string;
  targets?: string[];
  excludes?: string[];
  replaces?: string[];
  force?: boolean;
};

type Decide = (lane: Lane, actor: Actor, args: DecisionArguments, via: Via) => DecisionEffect;

export const DECISIONS: Record<DecisionKind, Decide> = {
  confirm: decideConfirm,
  skip: (lane, actor, _args, via) => decideSkip(lane, actor, "skipped", via),
  cancel: (lane, actor, { force = false }, via) => decideCancel(lane, actor, force, via),
  prioritize: (lane, actor) => decidePriority(lane, actor, "set"),
  deprioritize: (lane, actor) => decidePriority(lane, actor, "clear"),
  confirmPreview: decideConfirmPreview,
};

function stateOf({ deployment, runs }: Lane): DeploymentState {
  return { ...deployment, runs };
}

function decideConfirm(lane: Lane, actor: Actor, args: DecisionArguments, via: Via): DecisionEffect {
  const { status } = lane.deployment;
  const plan = waitingPlan(lane.runs);
  if (!POSSIBLE.confirm(stateOf(lane)) || !plan) throw new InvalidTransitionError("confirm", status);
  if (args.plan_run_id && args.plan_run_id !== plan.id) throw new PlanChangedError();
  if (args.action === "skip") return decideSkip(lane, actor, "confirmed_skip", via);
  const messages = rereadMessages(lane, via);
  if (args.action === "replan") {
    const { targets = [], excludes = [], replaces = [] } = args;
    return effect({
      deployment: { to: "pending" },
      stage: "done",
      open: { kind: plan.kind, run: { kind: plan.kind, targets, excludes, replaces } },
      activity: [{ kind: "confirmed_replan", actor, details: { targets, excludes, replaces } }],
      event: { name: "deployment_confirmed", actor, data: { action: "replan" } },
      messages,
    });
  }
  requireOpen(lane.gates, plan.id);
  const warnings = plan.plan_summary?.warnings ?? [];
  return {
    ...effect({
      deployment: { to: "applying" },
      stage: "done",
      open: { kind: "apply_run", run: { kind: "apply_run", planRunId: plan.id } },
      activity: [{ kind: "confirmed_apply", actor, details: { plan_run_id: plan.id } }],
      event: { name: "deployment_confirmed", actor, data: { action: "apply" } },
      messages,
    }),
    ...(warnings.length > 0 && { warning: warnings.join(" ") }),
  };
}

function decideSkip(lane: Lane, actor: Actor, activity: ActivityKind, via: Via): DecisionEffect {
  if (!POSSIBLE.skip(stateOf(lane))) throw new InvalidTransitionError("skip", lane.deployment.status);
  return effect({
    ...endLiveRun(lane, "discarded"),
    stage: "skipped",
    deployment: { to: "skipped" },
    activity: [{ kind: activity, actor }],
    event: { name: "deployment_skipped", actor },
    messages: rereadMessages(lane, via),
  });
}

function decideConfirmPreview(lane: Lane, actor: Actor, _args: DecisionArguments, via: Via): DecisionEffect {
  if (!POSSIBLE.confirm_preview(stateOf(lane)))
    throw new InvalidTransitionError("confirm-preview", lane.deployment.status);
  return effect({
    deployment: { to: "pending" },
    stage: "done",
    open: { kind: "plan_run", run: { kind: "plan_run" } },
    activity: [{ kind: "confirmed_preview", actor }],
    event: { name: "deployment_confirmed", actor, data: { action: "preview" } },
    messages: rereadMessages(lane, via),
  });
}

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

function effect(change: Change): DecisionEffect {
  return { change };
}
