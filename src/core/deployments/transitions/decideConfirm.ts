/** A person's word that a plan is applied, made anew or left, or that a preview begins. Pure. */
import type { Actor } from "../../../work/domainEvent.ts";
import { approvalsGate, missingApprovals } from "../../approvals/gate.ts";
import { GateClosedError, requireOpen } from "../../gates/gate.ts";
import type { PlanSummary } from "../../runs/protocol.ts";
import type { Change, DecisionEffect, LoggedEvent } from "../change.ts";
import { InvalidTransitionError, NothingToBreakError, PlanChangedError } from "../errors.ts";
import type { Lane } from "../lane.ts";
import { closedOf } from "../laneGates.ts";
import { POSSIBLE, waitingPlan } from "../possible.ts";
import { decideSkip } from "./decideSkip.ts";
import type { DecisionArguments } from "./decisionArguments.ts";
import { rereadMessages, type Via } from "./messages.ts";

export function decideConfirm(lane: Lane, actor: Actor, args: DecisionArguments, via: Via): DecisionEffect {
  const { status } = lane.deployment;
  const plan = waitingPlan(lane.runs);
  if (!POSSIBLE.confirm({ ...lane.deployment, runs: lane.runs }) || !plan)
    throw new InvalidTransitionError("confirm", status);
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
  const broken = brokenGlass(lane, plan.plan_summary, args);
  requireOpen(broken ? lane.gates : closedOf(lane, plan), plan.id);
  const warnings = plan.plan_summary?.warnings ?? [];
  return {
    ...broken,
    ...effect({
      deployment: { to: "applying" },
      stage: "done",
      open: { kind: "apply_run", run: { kind: "apply_run", planRunId: plan.id } },
      activity: [{ kind: "confirmed_apply", actor, details: { plan_run_id: plan.id, ...glassDetails(broken) } }],
      event: { name: "deployment_confirmed", actor, data: { action: "apply" } },
      ...(broken && { beside: glassEvent(actor, broken) }),
      messages,
    }),
    ...(warnings.length > 0 && { warning: warnings.join(" ") }),
  };
}

export function decideConfirmPreview(lane: Lane, actor: Actor, args: DecisionArguments, via: Via): DecisionEffect {
  if (!POSSIBLE.confirm_preview({ ...lane.deployment, runs: lane.runs }))
    throw new InvalidTransitionError("confirm-preview", lane.deployment.status);
  const broken = brokenGlass(lane, null, args);
  const missing = broken ? null : missingApprovals(lane.approvals, lane.deployment.mode, null);
  if (missing) throw new GateClosedError(approvalsGate(missing, lane.deployment.id));
  return {
    ...broken,
    ...effect({
      deployment: { to: "pending" },
      stage: "done",
      open: { kind: "plan_run", run: { kind: "plan_run" } },
      activity: [{ kind: "confirmed_preview", actor, ...(broken && { details: glassDetails(broken) }) }],
      event: { name: "deployment_confirmed", actor, data: { action: "preview" } },
      ...(broken && { beside: glassEvent(actor, broken) }),
      messages: rereadMessages(lane, via),
    }),
  };
}

type BrokenGlass = Required<Pick<DecisionEffect, "brokeGlass">>;

/** Null where nobody asks for it. @throws NothingToBreakError */
function brokenGlass(
  lane: Lane,
  summary: PlanSummary | null,
  { break_glass: reason }: DecisionArguments,
): BrokenGlass | null {
  if (reason === undefined) return null;
  const missing = missingApprovals(lane.approvals, lane.deployment.mode, summary);
  if (missing === null) throw new NothingToBreakError();
  return { brokeGlass: { reason, missing: missing.missing } };
}

function glassDetails(broken: BrokenGlass | null): Record<string, unknown> {
  return broken ? { break_glass: broken.brokeGlass.reason } : {};
}

function glassEvent(actor: Actor, { brokeGlass }: BrokenGlass): LoggedEvent {
  return {
    name: "deployment_broke_glass",
    actor,
    data: { missing: brokeGlass.missing.length, reason: brokeGlass.reason },
  };
}

function effect(change: Change): DecisionEffect {
  return { change };
}
