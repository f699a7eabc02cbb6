/** A person's word about a deployment, sent to the service. */
import { answerOf } from "../../clients/api/client.ts";
import type { Session } from "../service/session.ts";
import type { Deployment } from "../service/types.ts";
import type { DeploymentPath } from "../watching/watch.ts";

export type Addresses = { targets?: string[]; excludes?: string[]; replaces?: string[] };

function params({ orgId }: Session, { stackId, id }: DeploymentPath) {
  return { path: { org_id: orgId, stack_id: stackId, id } };
}

/**
 * @param planRunId the plan that was seen: another one is refused
 * @param breakGlass why it does without the approvals that it lacks
 */
export async function applyPlan(
  session: Session,
  path: DeploymentPath,
  planRunId: string,
  breakGlass?: string,
): Promise<Deployment> {
  return answerOf(
    session.api.POST("/api/v1/orgs/{org_id}/stacks/{stack_id}/deployments/{id}/confirm", {
      params: params(session, path),
      body: { action: "apply", plan_run_id: planRunId, ...(breakGlass !== undefined && { break_glass: breakGlass }) },
    }),
  );
}

export type Review = { verdict: "approve" | "reject"; comment?: string; plan_run_id?: string };

export async function review(session: Session, path: DeploymentPath, body: Review): Promise<Deployment> {
  return answerOf(
    session.api.POST("/api/v1/orgs/{org_id}/stacks/{stack_id}/deployments/{id}/reviews", {
      params: params(session, path),
      body,
    }),
  );
}

export async function replan(session: Session, path: DeploymentPath, addresses: Addresses): Promise<Deployment> {
  return answerOf(
    session.api.POST("/api/v1/orgs/{org_id}/stacks/{stack_id}/deployments/{id}/confirm", {
      params: params(session, path),
      body: { action: "replan", ...addresses },
    }),
  );
}

export async function skip(session: Session, path: DeploymentPath): Promise<Deployment> {
  return answerOf(
    session.api.POST("/api/v1/orgs/{org_id}/stacks/{stack_id}/deployments/{id}/skip", {
      params: params(session, path),
      body: {},
    }),
  );
}

export async function cancel(session: Session, path: DeploymentPath, force: boolean): Promise<Deployment> {
  return answerOf(
    session.api.POST("/api/v1/orgs/{org_id}/stacks/{stack_id}/deployments/{id}/cancel", {
      params: params(session, path),
      body: force ? { force } : {},
    }),
  );
}
