/** Whether a preview's commit can be promoted by this person. Pure. */
import type { Deployment, PullRequest, Stack } from "../../data/types.ts";

export function isPromotable(deployment: Deployment, request: PullRequest | null, stack: Stack | null): boolean {
  if (deployment.mode !== "plan_unlocked" || deployment.status !== "finished" || request === null) return false;
  return (
    request.latest_deployment_id === deployment.id &&
    request.preview_is_current &&
    request.unmet_requirements.length === 0 &&
    (stack?.allowed_actions.includes("plan") ?? false)
  );
}
