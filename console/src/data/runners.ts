import { answerOf } from "../../../clients/api/client.ts";
import { api } from "./api.ts";
import { keys } from "./keys.ts";
import { pagedQuery } from "./pages.ts";

export const runnerGroupsKey = (org: string) => [...keys.org(org), "runner-groups"] as const;
export const runnersKey = (org: string) => [...keys.org(org), "runners"] as const;

export function pagedRunnerGroupsQuery(org: string) {
  return pagedQuery([...runnerGroupsKey(org), "list"], (page, signal) =>
    answerOf(
      api.GET("/api/v1/orgs/{org_id}/runner-groups", {
        params: { path: { org_id: org }, query: { sort: "name", order: "asc", limit: 100, ...page } },
        signal,
      }),
    ),
  );
}

export function runnersQuery(org: string, group: string) {
  const query = pagedQuery([...runnersKey(org), group], (page, signal) =>
    answerOf(
      api.GET("/api/v1/orgs/{org_id}/runners", {
        params: {
          path: { org_id: org },
          query: { sort: "last_seen_at", order: "desc", limit: 50, group_id: group, ...page },
        },
        signal,
      }),
    ),
  );
  return { ...query, refetchInterval: 15_000 };
}
