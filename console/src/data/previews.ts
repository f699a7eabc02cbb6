import { queryOptions } from "@tanstack/react-query";
import { answerOf } from "../../../clients/api/client.ts";
import { api } from "./api.ts";
import { keys } from "./keys.ts";
import type { PullRequest } from "./types.ts";

/** One open request of a stack; null where it is closed. */
export function pullRequestQuery(org: string, stack: string, number: number | null) {
  return queryOptions({
    queryKey: [...keys.stackWork(org, stack), "pull-request", number],
    enabled: number !== null,
    queryFn: async ({ signal }): Promise<PullRequest | null> => {
      let cursor: string | null = null;
      do {
        const page: { items: PullRequest[]; next_cursor: string | null } = await answerOf(
          api.GET("/api/v1/orgs/{org_id}/stacks/{stack_id}/pull-requests", {
            params: {
              path: { org_id: org, stack_id: stack },
              query: { limit: 200, ...(cursor !== null && { cursor }) },
            },
            signal,
          }),
        );
        const found = page.items.find((request) => request.number === number);
        if (found !== undefined) return found;
        cursor = page.next_cursor;
      } while (cursor !== null);
      return null;
    },
  });
}
