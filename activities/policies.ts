/**
 * Adapter on the `tasks` queue: an organization's policies look at a plan, with a heartbeat for as long as that takes.
 */
import { type EvaluationDeps, evaluatePlan } from "../src/core/policies/evaluatePlan.ts";
import type { PolicyActivities } from "../workflows/views.ts";
import { beating } from "./beating.ts";

export function policyActivities(deps: EvaluationDeps): PolicyActivities {
  return {
    evaluatePlan: (deploymentId, evaluationId) => beating(() => evaluatePlan(deps, deploymentId, evaluationId)),
  };
}
