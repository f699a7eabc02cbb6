/**
 * What the reader of a deployment may do with it now: what its state admits, of what their permissions reach. Pure. A
 * denial is the uniform 404, so nobody could find out otherwise (docs/rules/deployments.md#what-an-answer-offers).
 */
import type { Action } from "../../people/authorization/matrix.ts";
import { grantsAllow, type StackGrants } from "../../people/authorization/stackGrants.ts";
import { CREATE_ACTION } from "./authorizeDeployment.ts";
import type { DeploymentMode } from "./lifecycle.ts";
import { DEPLOYMENT_ACTIONS, type DeploymentAction, type DeploymentState, POSSIBLE } from "./possible.ts";
import { isRetriable, type RequestLink, type Retried } from "./retriable.ts";

type Created = { mode: DeploymentMode; origin_type: string };
type Stack = { name: string; groups: readonly string[] };
type Deployment = DeploymentState & Pick<Retried, "id" | "origin_type" | "origin_pr_generation" | "pull_request_id">;

/** One of these permissions is needed. */
function needs(action: DeploymentAction, deployment: Created): Action<"stack">[] {
  switch (action) {
    case "confirm":
    case "skip":
      return ["confirm"];
    case "confirm_preview":
      return ["preview"];
    case "review":
      return ["review"];
    // Besides what the decision itself needs.
    case "break_glass":
      return ["break_glass"];
    case "prioritize":
    case "deprioritize":
      return ["prioritize"];
    case "cancel":
    case "force_cancel":
      return ["confirm", creating(deployment)];
    case "retry":
      return [creating(deployment)];
  }
}

function creating({ mode, origin_type }: Created): Action<"stack"> {
  return origin_type === "local" ? "local_deploy" : CREATE_ACTION[mode];
}

export function allowedActions(
  held: StackGrants | null,
  stack: Stack,
  deployment: Deployment,
  link: RequestLink | null,
): DeploymentAction[] {
  if (held === null) return [];
  const decision = deployment.mode === "plan_unlocked" ? "preview" : "confirm";
  return DEPLOYMENT_ACTIONS.filter((action) => {
    const possible = action === "retry" ? isRetriable(deployment, link) : POSSIBLE[action](deployment);
    return possible && needs(action, deployment).some(may) && (action !== "break_glass" || may(decision));
  });

  function may(permission: Action<"stack">): boolean {
    return held !== null && grantsAllow(held, permission, stack);
  }
}
