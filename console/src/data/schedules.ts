/** What comes by itself on a stack, and when a stack ends by itself. */
import { queryOptions } from "@tanstack/react-query";
import { answerOf } from "../../../clients/api/client.ts";
import { api } from "./api.ts";
import { keys } from "./keys.ts";
import { pagedQuery } from "./pages.ts";

const PAGE = 50;
const at = (org: string, stack: string) => ({ path: { org_id: org, stack_id: stack } });

/** Below what follows the stack's deployments: each occurrence is told by its own. */
export const schedulesKey = (org: string, stack: string) => [...keys.stackWork(org, stack), "schedules"] as const;
export const lifetimeKey = (org: string, stack: string) => [...keys.stackWork(org, stack), "lifetime"] as const;

export function schedulesQuery(org: string, stack: string) {
  return pagedQuery(schedulesKey(org, stack), (page, signal) =>
    answerOf(
      api.GET("/api/v1/orgs/{org_id}/stacks/{stack_id}/schedules", {
        params: { ...at(org, stack), query: { limit: PAGE, ...page } },
        signal,
      }),
    ),
  );
}

export function lifetimeQuery(org: string, stack: string) {
  return queryOptions({
    queryKey: lifetimeKey(org, stack),
    queryFn: ({ signal }) =>
      answerOf(api.GET("/api/v1/orgs/{org_id}/stacks/{stack_id}/lifetime", { params: at(org, stack), signal })),
  });
}
