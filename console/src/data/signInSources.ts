import { queryOptions } from "@tanstack/react-query";
import { answerOf } from "../../../clients/api/client.ts";
import { api } from "./api.ts";
import { keys } from "./keys.ts";
import { pagedQuery } from "./pages.ts";

export const sourcesKey = (org: string) => [...keys.org(org), "sources"] as const;
export const proofsKey = (org: string) => [...keys.org(org), "proofs"] as const;

export function sourcesQuery(org: string) {
  return pagedQuery([...sourcesKey(org), "list"], (page, signal) =>
    answerOf(
      api.GET("/api/v1/orgs/{org_id}/identity-sources", {
        params: { path: { org_id: org }, query: { sort: "source_slug", order: "asc", ...page } },
        signal,
      }),
    ),
  );
}

const at = (org: string, source: string) => ({ org_id: org, source_id: source });

export function sourceQuery(org: string, source: string) {
  return queryOptions({
    queryKey: [...sourcesKey(org), source],
    queryFn: ({ signal }) =>
      answerOf(
        api.GET("/api/v1/orgs/{org_id}/identity-sources/{source_id}", { params: { path: at(org, source) }, signal }),
      ),
  });
}

/** What its groups confer. */
export function bindingsQuery(org: string, source: string) {
  return pagedQuery([...sourcesKey(org), source, "bindings"], (page, signal) =>
    answerOf(
      api.GET("/api/v1/orgs/{org_id}/identity-sources/{source_id}/bindings", {
        params: { path: at(org, source), query: { sort: "group_key", order: "asc", ...page } },
        signal,
      }),
    ),
  );
}

/** Who becomes a member by signing in at it. */
export function accessRulesQuery(org: string, source: string) {
  return pagedQuery([...sourcesKey(org), source, "rules"], (page, signal) =>
    answerOf(
      api.GET("/api/v1/orgs/{org_id}/identity-sources/{source_id}/access-rules", {
        params: { path: at(org, source), query: page },
        signal,
      }),
    ),
  );
}

export function proofsQuery(org: string) {
  return pagedQuery(proofsKey(org), (page, signal) =>
    answerOf(api.GET("/api/v1/orgs/{org_id}/proofs", { params: { path: { org_id: org }, query: page }, signal })),
  );
}
