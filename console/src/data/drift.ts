/** Whether what runs still is what was applied: of one stack, and over all of them. */
import { queryOptions } from "@tanstack/react-query";
import { answerOf } from "../../../clients/api/client.ts";
import { api } from "./api.ts";
import { keys } from "./keys.ts";
import { pagedQuery } from "./pages.ts";

const PAGE = 100;
/** No hint tells of a check, which is nobody's deployment. */
const EVERY_MS = 15_000;

export const driftKey = (org: string, stack: string) => [...keys.stackWork(org, stack), "drift"] as const;

export function driftQuery(org: string, stack: string) {
  return queryOptions({
    queryKey: driftKey(org, stack),
    queryFn: ({ signal }) =>
      answerOf(
        api.GET("/api/v1/orgs/{org_id}/stacks/{stack_id}/drift", {
          params: { path: { org_id: org, stack_id: stack } },
          signal,
        }),
      ),
    refetchInterval: EVERY_MS,
  });
}

export function fleetDriftQuery(org: string, status: string | undefined) {
  return pagedQuery([...keys.org(org), "drift", status ?? null], (page, signal) =>
    answerOf(
      api.GET("/api/v1/orgs/{org_id}/drift", {
        params: {
          path: { org_id: org },
          query: { limit: PAGE, ...(status && { status: status.split(",") as "drifted"[] }), ...page },
        },
        signal,
      }),
    ),
  );
}
