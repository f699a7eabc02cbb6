import { queryOptions } from "@tanstack/react-query";
import { answerOf } from "../../../clients/api/client.ts";
import type { operations } from "../../../clients/api/schema.d.ts";
import { api } from "./api.ts";
import { keys } from "./keys.ts";
import { pagedQuery } from "./pages.ts";

type Filters<Id extends "listAllDeployments" | "listDeployments"> = Omit<
  NonNullable<operations[Id]["parameters"]["query"]>,
  "cursor"
>;
export type AllDeploymentsFilter = Filters<"listAllDeployments">;
export type StackDeploymentsFilter = Filters<"listDeployments">;

const PAGE = 50;

/** Of all stacks that the person may read. */
export function allDeploymentsQuery(org: string, filter: AllDeploymentsFilter = {}) {
  return pagedQuery([...keys.deployments(org), filter], (page, signal) =>
    answerOf(
      api.GET("/api/v1/orgs/{org_id}/deployments", {
        params: { path: { org_id: org }, query: { limit: PAGE, ...filter, ...page } },
        signal,
      }),
    ),
  );
}

export function stackDeploymentsQuery(org: string, stack: string, filter: StackDeploymentsFilter = {}) {
  return pagedQuery([...keys.stackWork(org, stack), "deployments", filter], (page, signal) =>
    answerOf(
      api.GET("/api/v1/orgs/{org_id}/stacks/{stack_id}/deployments", {
        params: { path: { org_id: org, stack_id: stack }, query: { limit: PAGE, ...filter, ...page } },
        signal,
      }),
    ),
  );
}

export function deploymentQuery(org: string, stack: string, id: string) {
  return queryOptions({
    queryKey: keys.deployment(org, stack, id),
    queryFn: ({ signal }) =>
      answerOf(
        api.GET("/api/v1/orgs/{org_id}/stacks/{stack_id}/deployments/{id}", {
          params: { path: { org_id: org, stack_id: stack, id } },
          signal,
        }),
      ),
  });
}

export function overviewQuery(org: string) {
  return queryOptions({
    queryKey: keys.overview(org),
    queryFn: ({ signal }) =>
      answerOf(api.GET("/api/v1/orgs/{org_id}/overview", { params: { path: { org_id: org } }, signal })),
  });
}
