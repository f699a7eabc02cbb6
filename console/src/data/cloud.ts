import { queryOptions } from "@tanstack/react-query";
import { answerOf } from "../../../clients/api/client.ts";
import { api } from "./api.ts";
import { keys } from "./keys.ts";

export const cloudKey = (org: string, stack: string) => [...keys.stack(org, stack), "cloud"] as const;

/** What the installation offers. */
export function cloudProvidersQuery() {
  return queryOptions({
    queryKey: ["installation", "cloud-providers"],
    queryFn: ({ signal }) => answerOf(api.GET("/api/v1/cloud-providers", { signal })),
  });
}

/** At most one of a provider, of those that the reader may see. */
export function cloudIntegrationsQuery(org: string, stack: string) {
  return queryOptions({
    queryKey: cloudKey(org, stack),
    queryFn: async ({ signal }) =>
      (
        await answerOf(
          api.GET("/api/v1/orgs/{org_id}/stacks/{stack_id}/cloud-integrations", {
            params: { path: { org_id: org, stack_id: stack } },
            signal,
          }),
        )
      ).items,
  });
}
