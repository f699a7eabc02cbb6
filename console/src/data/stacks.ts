import { queryOptions } from "@tanstack/react-query";
import { answerOf } from "../../../clients/api/client.ts";
import type { operations } from "../../../clients/api/schema.d.ts";
import { api } from "./api.ts";
import { keys } from "./keys.ts";
import { pagedQuery } from "./pages.ts";

export type StackFilter = Omit<NonNullable<operations["listStacks"]["parameters"]["query"]>, "cursor">;

const PAGE = 100;

export function stacksQuery(org: string, filter: StackFilter = {}) {
  return pagedQuery([...keys.stackList(org), filter], (page, signal) =>
    answerOf(
      api.GET("/api/v1/orgs/{org_id}/stacks", {
        params: { path: { org_id: org }, query: { limit: PAGE, ...filter, ...page } },
        signal,
      }),
    ),
  );
}

const at = (org: string, stack: string) => ({ path: { org_id: org, stack_id: stack } });

export function stackQuery(org: string, stack: string) {
  return queryOptions({
    queryKey: keys.stack(org, stack),
    queryFn: ({ signal }) =>
      answerOf(api.GET("/api/v1/orgs/{org_id}/stacks/{stack_id}", { params: at(org, stack), signal })),
  });
}

export function queueQuery(org: string, stack: string) {
  return queryOptions({
    queryKey: [...keys.stackWork(org, stack), "queue"],
    queryFn: ({ signal }) =>
      answerOf(api.GET("/api/v1/orgs/{org_id}/stacks/{stack_id}/queue", { params: at(org, stack), signal })),
  });
}

export function pullRequestsQuery(org: string, stack: string) {
  return pagedQuery([...keys.stackWork(org, stack), "pull-requests"], (page, signal) =>
    answerOf(
      api.GET("/api/v1/orgs/{org_id}/stacks/{stack_id}/pull-requests", {
        params: { ...at(org, stack), query: page },
        signal,
      }),
    ),
  );
}

export function dependenciesQuery(org: string, stack: string) {
  return queryOptions({
    queryKey: [...keys.stack(org, stack), "dependencies"],
    queryFn: ({ signal }) =>
      answerOf(api.GET("/api/v1/orgs/{org_id}/stacks/{stack_id}/dependencies", { params: at(org, stack), signal })),
  });
}

export function variablesQuery(org: string, stack: string) {
  return queryOptions({
    queryKey: [...keys.stack(org, stack), "variables"],
    queryFn: ({ signal }) =>
      answerOf(api.GET("/api/v1/orgs/{org_id}/stacks/{stack_id}/variables", { params: at(org, stack), signal })),
  });
}

export function labelsQuery(org: string) {
  return queryOptions({
    queryKey: [...keys.org(org), "labels"],
    queryFn: ({ signal }) =>
      answerOf(api.GET("/api/v1/orgs/{org_id}/labels", { params: { path: { org_id: org } }, signal })),
  });
}
