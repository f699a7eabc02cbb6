/** What a person can do with a deployment and its stack, each one call. */
import { answerOf } from "../../../clients/api/client.ts";
import type { operations } from "../../../clients/api/schema.d.ts";
import { api } from "./api.ts";
import type { DeploymentPlace } from "./plans.ts";
import type { WriteHeaders } from "./write.ts";

type ConfirmBody = NonNullable<operations["confirmDeployment"]["requestBody"]>["content"]["application/json"];

const ONE = "/api/v1/orgs/{org_id}/stacks/{stack_id}/deployments/{id}" as const;
const STACK = "/api/v1/orgs/{org_id}/stacks/{stack_id}" as const;

const at = ({ org, stack, id }: DeploymentPlace) => ({ path: { org_id: org, stack_id: stack, id } });
const stackAt = ({ org, stack }: DeploymentPlace) => ({ path: { org_id: org, stack_id: stack } });

export function confirmDeployment(place: DeploymentPlace, body: ConfirmBody, headers: WriteHeaders) {
  return answerOf(api.POST(`${ONE}/confirm`, { params: at(place), body, headers }));
}

export type ReviewBody = NonNullable<operations["reviewDeployment"]["requestBody"]>["content"]["application/json"];

export function reviewDeployment(place: DeploymentPlace, body: ReviewBody, headers: WriteHeaders) {
  return answerOf(api.POST(`${ONE}/reviews`, { params: at(place), body, headers }));
}

/** Of a plan, or of a preview that nobody has started. */
export type BrokenGlass = { reason: string; planRunId: string | null };

export function breakGlass(place: DeploymentPlace, { reason, planRunId }: BrokenGlass, headers: WriteHeaders) {
  if (planRunId === null)
    return answerOf(api.POST(`${ONE}/confirm-preview`, { params: at(place), body: { break_glass: reason }, headers }));
  return confirmDeployment(place, { action: "apply", plan_run_id: planRunId, break_glass: reason }, headers);
}

export function cancelDeployment(place: DeploymentPlace, force: boolean, headers: WriteHeaders) {
  return answerOf(api.POST(`${ONE}/cancel`, { params: at(place), body: force ? { force } : {}, headers }));
}

export function retryDeployment(place: DeploymentPlace, headers: WriteHeaders) {
  return answerOf(api.POST(`${ONE}/retry`, { params: at(place), headers }));
}

export function decide(
  place: DeploymentPlace,
  decision: "skip" | "confirm-preview" | "prioritize" | "deprioritize",
  headers: WriteHeaders,
) {
  return answerOf(api.POST(`${ONE}/${decision}`, { params: at(place), body: {}, headers }));
}

export function holdStack(place: DeploymentPlace, reason: string, headers: WriteHeaders) {
  return answerOf(api.POST(`${STACK}/hold`, { params: stackAt(place), body: { reason }, headers }));
}

export function releaseStack(place: DeploymentPlace, headers: WriteHeaders) {
  return answerOf(api.POST(`${STACK}/release`, { params: stackAt(place), headers }));
}

export function promotePullRequest(place: DeploymentPlace, number: number, force: boolean, headers: WriteHeaders) {
  return answerOf(
    api.POST(`${STACK}/pull-requests/{number}/promote`, {
      params: { path: { ...stackAt(place).path, number }, ...(force && { query: { force: "true" as const } }) },
      headers,
    }),
  );
}

export function evaluatePolicies(place: DeploymentPlace, headers: WriteHeaders) {
  return answerOf(api.POST(`${ONE}/policy-evaluations`, { params: at(place), headers }));
}

export function overridePolicies(
  place: DeploymentPlace,
  body: { plan_run_id: string; reason: string },
  headers: WriteHeaders,
) {
  return answerOf(api.POST(`${ONE}/policy-override`, { params: at(place), body, headers }));
}

export function deployDependent(place: DeploymentPlace, dependent: string, headers: WriteHeaders) {
  return answerOf(
    api.POST(`${ONE}/dependents/{dependent_stack_id}/deploy`, {
      params: { path: { ...at(place).path, dependent_stack_id: dependent } },
      headers,
    }),
  );
}
