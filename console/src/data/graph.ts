import { queryOptions } from "@tanstack/react-query";
import { answerOf } from "../../../clients/api/client.ts";
import type { operations } from "../../../clients/api/schema.d.ts";
import { api } from "./api.ts";
import { keys } from "./keys.ts";
import { pagedQuery } from "./pages.ts";

export type OrgGraph = operations["getOrganizationGraph"]["responses"][200]["content"]["application/json"];
export type GraphStack = OrgGraph["items"][number];
export type GraphEdge = OrgGraph["edges"][number];
export type Resource = operations["listResources"]["responses"][200]["content"]["application/json"]["items"][number];
export type Finding = operations["listFindings"]["responses"][200]["content"]["application/json"]["items"][number];

type Filters<Id extends "listResources" | "listFindings"> = Omit<
  NonNullable<operations[Id]["parameters"]["query"]>,
  "cursor"
>;

const PAGE = 100;

/** Stacks and what depends on what; `truncated` where there is more than the service shows. */
export function graphQuery(org: string, labels?: string) {
  return queryOptions({
    queryKey: [...keys.stacks(org), "graph", labels ?? null],
    queryFn: ({ signal }) =>
      answerOf(
        api.GET("/api/v1/orgs/{org_id}/dependencies", {
          params: { path: { org_id: org }, query: labels === undefined ? {} : { labels } },
          signal,
        }),
      ),
  });
}

export function resourcesQuery(org: string, filter: Filters<"listResources"> = {}) {
  return pagedQuery([...keys.org(org), "resources", filter], (page, signal) =>
    answerOf(
      api.GET("/api/v1/orgs/{org_id}/explore/resources", {
        params: { path: { org_id: org }, query: { limit: PAGE, ...filter, ...page } },
        signal,
      }),
    ),
  );
}

export function findingsQuery(org: string, filter: Filters<"listFindings"> = {}) {
  return pagedQuery([...keys.org(org), "findings", filter], (page, signal) =>
    answerOf(
      api.GET("/api/v1/orgs/{org_id}/explore/findings", {
        params: { path: { org_id: org }, query: { limit: PAGE, ...filter, ...page } },
        signal,
      }),
    ),
  );
}

/** When findings were computed last, and whether all was looked at. */
export function findingsStateQuery(org: string) {
  return queryOptions({
    queryKey: [...keys.org(org), "findings", "state"],
    queryFn: ({ signal }) =>
      answerOf(
        api.GET("/api/v1/orgs/{org_id}/explore/findings", {
          params: { path: { org_id: org }, query: { limit: 1 } },
          signal,
        }),
      ),
  });
}
