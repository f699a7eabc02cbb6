import { queryOptions, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { answerOf } from "../../../clients/api/client.ts";
import { api } from "./api.ts";
import { keys } from "./keys.ts";
import { type May, mayBy } from "./may.ts";

export function permissionsQuery(org: string) {
  return queryOptions({
    queryKey: [...keys.org(org), "permissions"],
    queryFn: ({ signal }) =>
      answerOf(api.GET("/api/v1/orgs/{org_id}/permissions", { params: { path: { org_id: org } }, signal })),
  });
}

/** What the reader may do in the organization; nothing until it is known. */
export function useMay(org: string): May {
  const { data } = useQuery(permissionsQuery(org));
  return useMemo(() => mayBy(data?.grants ?? []), [data]);
}
