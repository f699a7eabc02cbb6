/** What the route files of deployments share: their addresses, what they need. */
import type { Keyring } from "../../platform/crypto/keyring.ts";
import type { Service } from "../../work/service.ts";
import type { DeploymentPath } from "./authorizeDeployment.ts";
import type { HeadOf } from "./head.ts";
import type { BatchSender } from "./submitBatch.ts";
import type { DecisionSender } from "./submitDecision.ts";

export type DeploymentRoutesDeps = {
  service: Service;
  sender: DecisionSender & BatchSender;
  headOf: HeadOf;
  decisionDeadlineMs: number;
  keyring: Keyring;
  /** Where Temporal shows a deployment's workflow; null where no such place is known. */
  workflowPage: (deploymentId: string) => string | null;
};

export const BASE = "/api/v1/orgs/:org_id/stacks/:stack_id/deployments";
export const ONE = `${BASE}/:id` as const;
export const tag = "deployments";

export function pathOf(params: { org_id: string; stack_id: string; id: string }): DeploymentPath {
  return { orgId: params.org_id, stackId: params.stack_id, deploymentId: params.id };
}
