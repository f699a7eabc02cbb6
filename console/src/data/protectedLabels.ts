import { queryOptions } from "@tanstack/react-query";
import { answerOf } from "../../../clients/api/client.ts";
import { api } from "./api.ts";
import { keys } from "./keys.ts";

export const protectedLabelsKey = (org: string) => [...keys.org(org), "protected-labels"] as const;

export function protectedLabelsQuery(org: string) {
  return queryOptions({
    queryKey: protectedLabelsKey(org),
    queryFn: ({ signal }) =>
      answerOf(api.GET("/api/v1/orgs/{org_id}/config/protected-labels", { params: { path: { org_id: org } }, signal })),
  });
}
