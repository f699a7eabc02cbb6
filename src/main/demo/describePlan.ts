import type { DeploymentResource } from "../../core/deployments/resourceSchema.ts";
import { planSummaryOf } from "./apiClient.ts";

/** What a deployment's newest plan would do, in words. */
export function describePlan(deployment: DeploymentResource): string {
  const counts: Record<string, number> = planSummaryOf(deployment).counts ?? {};
  const parts = Object.entries(counts).filter(([, count]) => count > 0);
  return parts.length === 0
    ? "no resource changes"
    : parts.map(([action, count]) => `${count} to ${action}`).join(", ");
}
