/** A person's word about a plan that waits (docs/approvals.md#reviews). Pure. */
import type { Actor } from "../../../work/domainEvent.ts";
import { isMaker } from "../../approvals/gate.ts";
import type { DecisionEffect } from "../change.ts";
import { InvalidTransitionError, OwnChangeError, PlanChangedError } from "../errors.ts";
import type { Lane } from "../lane.ts";
import { POSSIBLE, waitingPlan } from "../possible.ts";
import type { DecisionArguments } from "./decisionArguments.ts";
import { rereadMessages, type Via } from "./messages.ts";

/** It is about the plan that the reviewer saw, or about a preview that nobody has started. */
export function decideReview(lane: Lane, actor: Actor, args: DecisionArguments, via: Via): DecisionEffect {
  const { deployment, runs } = lane;
  if (!POSSIBLE.review({ ...deployment, runs })) throw new InvalidTransitionError("review", deployment.status);
  const planRunId = waitingPlan(runs)?.id ?? null;
  if ((args.plan_run_id ?? null) !== planRunId) throw new PlanChangedError();
  const { verdict = "reject", comment = null } = args;
  if (verdict === "approve" && lane.approvals && isMaker(lane.approvals, actor)) throw new OwnChangeError();
  return {
    review: { verdict, comment, planRunId },
    change: {
      activity: [{ kind: verdict === "approve" ? "approved" : "rejected", actor, details: { plan_run_id: planRunId } }],
      event: { name: "deployment_reviewed", actor, data: { verdict } },
      messages: rereadMessages(lane, via),
    },
  };
}
