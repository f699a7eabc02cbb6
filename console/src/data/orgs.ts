import { queryOptions } from "@tanstack/react-query";
import { answerOf } from "../../../clients/api/client.ts";
import { api } from "./api.ts";
import { keys } from "./keys.ts";

/** More organizations than a person is in; an operator who sees all of them finds others by their address. */
const MOST = 100;

export function orgsQuery() {
  return queryOptions({
    queryKey: keys.orgs,
    queryFn: async ({ signal }) =>
      (
        await answerOf(
          api.GET("/api/v1/orgs", { params: { query: { limit: MOST, sort: "name", order: "asc" } }, signal }),
        )
      ).items,
  });
}

const at = (org: string) => ({ path: { org_id: org } });

export function orgQuery(org: string) {
  return queryOptions({
    queryKey: [...keys.org(org), "itself"],
    queryFn: ({ signal }) => answerOf(api.GET("/api/v1/orgs/{org_id}", { params: at(org), signal })),
  });
}

export function budgetQuery(org: string) {
  return queryOptions({
    queryKey: [...keys.org(org), "budget"],
    queryFn: ({ signal }) => answerOf(api.GET("/api/v1/orgs/{org_id}/dispatch-budget", { params: at(org), signal })),
  });
}

export function runnerGroupsQuery(org: string) {
  return queryOptions({
    queryKey: [...keys.org(org), "runner-groups"],
    queryFn: async ({ signal }) =>
      (
        await answerOf(
          api.GET("/api/v1/orgs/{org_id}/runner-groups", {
            params: { ...at(org), query: { limit: MOST, sort: "name", order: "asc" } },
            signal,
          }),
        )
      ).items,
  });
}

export function groupQueueQuery(org: string, group: string) {
  return queryOptions({
    queryKey: [...keys.org(org), "runner-groups", group, "queue"],
    queryFn: ({ signal }) =>
      answerOf(
        api.GET("/api/v1/orgs/{org_id}/runner-groups/{group_id}/queue", {
          params: { path: { org_id: org, group_id: group } },
          signal,
        }),
      ),
    refetchInterval: 15_000,
  });
}

export function groupQuery(org: string, group: string) {
  return queryOptions({
    queryKey: [...keys.org(org), "runner-groups", group],
    queryFn: ({ signal }) =>
      answerOf(
        api.GET("/api/v1/orgs/{org_id}/runner-groups/{group_id}", {
          params: { path: { org_id: org, group_id: group } },
          signal,
        }),
      ),
  });
}
