import { queryOptions } from "@tanstack/react-query";
import { answerOf } from "../../../clients/api/client.ts";
import { api } from "./api.ts";
import { keys } from "./keys.ts";
import { pagedQuery } from "./pages.ts";
import type { DeploymentPlace } from "./plans.ts";

export const policiesKey = (org: string) => [...keys.org(org), "policies"] as const;

const MANY = "/api/v1/orgs/{org_id}/policies" as const;
const ONE = `${MANY}/{policy_id}` as const;

export function policiesQuery(org: string) {
  return pagedQuery([...policiesKey(org), "list"], (page, signal) =>
    answerOf(api.GET(MANY, { params: { path: { org_id: org }, query: { limit: 100, ...page } }, signal })),
  );
}

export function policyQuery(org: string, id: string) {
  return queryOptions({
    queryKey: [...policiesKey(org), "one", id],
    queryFn: ({ signal }) => answerOf(api.GET(ONE, { params: { path: { org_id: org, policy_id: id } }, signal })),
  });
}

export function policyVersionsQuery(org: string, id: string) {
  return pagedQuery([...policiesKey(org), "versions", id], (page, signal) =>
    answerOf(
      api.GET(`${ONE}/versions`, {
        params: { path: { org_id: org, policy_id: id }, query: { limit: 25, ...page } },
        signal,
      }),
    ),
  );
}

export function policyVersionQuery(org: string, id: string, version: number) {
  return queryOptions({
    queryKey: [...policiesKey(org), "version", id, version],
    queryFn: ({ signal }) =>
      answerOf(
        api.GET(`${ONE}/versions/{version}`, {
          params: { path: { org_id: org, policy_id: id, version: String(version) } },
          signal,
        }),
      ),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** The newest word of the policies on a deployment's plan. */
export function policyEvaluationQuery({ org, stack, id }: DeploymentPlace) {
  return queryOptions({
    queryKey: [...keys.deployment(org, stack, id), "policies"],
    queryFn: ({ signal }) =>
      answerOf(
        api.GET("/api/v1/orgs/{org_id}/stacks/{stack_id}/deployments/{id}/policy-evaluations", {
          params: { path: { org_id: org, stack_id: stack, id }, query: { limit: 1 } },
          signal,
        }),
      ),
  });
}
