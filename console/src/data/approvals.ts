import { queryOptions } from "@tanstack/react-query";
import { answerOf } from "../../../clients/api/client.ts";
import { api } from "./api.ts";
import { keys } from "./keys.ts";
import { pagedQuery } from "./pages.ts";
import type { DeploymentPlace } from "./plans.ts";

export const approvalRulesKey = (org: string) => [...keys.org(org), "approval-rules"] as const;

export function approvalRulesQuery(org: string) {
  return pagedQuery([...approvalRulesKey(org), "list"], (page, signal) =>
    answerOf(
      api.GET("/api/v1/orgs/{org_id}/approval-rules", {
        params: { path: { org_id: org }, query: { sort: "name", order: "asc", limit: 100, ...page } },
        signal,
      }),
    ),
  );
}

export function deploymentApprovalsQuery({ org, stack, id }: DeploymentPlace) {
  return queryOptions({
    queryKey: [...keys.deployment(org, stack, id), "approvals"],
    queryFn: ({ signal }) =>
      answerOf(
        api.GET("/api/v1/orgs/{org_id}/stacks/{stack_id}/deployments/{id}/approvals", {
          params: { path: { org_id: org, stack_id: stack, id } },
          signal,
        }),
      ),
  });
}
