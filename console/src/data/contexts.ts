import { queryOptions } from "@tanstack/react-query";
import { answerOf } from "../../../clients/api/client.ts";
import { api } from "./api.ts";
import { keys } from "./keys.ts";
import { pagedQuery } from "./pages.ts";

export const contextsKey = (org: string) => [...keys.org(org), "contexts"] as const;

export function contextsQuery(org: string) {
  return pagedQuery([...contextsKey(org), "list"], (page, signal) =>
    answerOf(
      api.GET("/api/v1/orgs/{org_id}/contexts", {
        params: { path: { org_id: org }, query: { sort: "name", order: "asc", limit: 100, ...page } },
        signal,
      }),
    ),
  );
}

export function contextQuery(org: string, context: string) {
  return queryOptions({
    queryKey: [...contextsKey(org), "one", context],
    queryFn: ({ signal }) =>
      answerOf(
        api.GET("/api/v1/orgs/{org_id}/contexts/{context_id}", {
          params: { path: { org_id: org, context_id: context } },
          signal,
        }),
      ),
  });
}
