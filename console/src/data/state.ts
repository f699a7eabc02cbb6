/** The state of a stack that the service keeps: its lock, its versions, and what differs between two of them. */
import { queryOptions } from "@tanstack/react-query";
import { answerOf } from "../../../clients/api/client.ts";
import { api } from "./api.ts";
import { BASE_URL } from "./base.ts";
import { keys } from "./keys.ts";
import { pagedQuery } from "./pages.ts";

const PAGE = 50;
const at = (org: string, stack: string) => ({ org_id: org, stack_id: stack });

/** Below what follows the stack's deployments: a run's lock ends with the run, and an apply leaves a version. */
export const stateKey = (org: string, stack: string) => [...keys.stackWork(org, stack), "state"] as const;

/** Asked for again and again: no hint tells of an engine at somebody's desk. */
export function stateLockQuery(org: string, stack: string) {
  return queryOptions({
    queryKey: [...stateKey(org, stack), "lock"],
    queryFn: ({ signal }) =>
      answerOf(
        api.GET("/api/v1/orgs/{org_id}/stacks/{stack_id}/state/lock", { params: { path: at(org, stack) }, signal }),
      ),
    refetchInterval: 15_000,
  });
}

/** Newest first. */
export function stateVersionsQuery(org: string, stack: string) {
  return pagedQuery([...stateKey(org, stack), "versions"], (page, signal) =>
    answerOf(
      api.GET("/api/v1/orgs/{org_id}/stacks/{stack_id}/state/versions", {
        params: { path: at(org, stack), query: { limit: PAGE, ...page } },
        signal,
      }),
    ),
  );
}

/** The state as it is; null where there is none, also where it was deleted. */
export function presentStateQuery(org: string, stack: string) {
  return queryOptions({
    queryKey: [...stateKey(org, stack), "present"],
    queryFn: async ({ signal }) => {
      const { items } = await answerOf(
        api.GET("/api/v1/orgs/{org_id}/stacks/{stack_id}/state/versions", {
          params: { path: at(org, stack), query: { limit: 1 } },
          signal,
        }),
      );
      return items.find(({ is_newest }) => is_newest) ?? null;
    },
  });
}

/** @param from the one before, unless it is named. Two versions differ for ever as they do. */
export function stateChangesQuery(org: string, stack: string, to: string, from?: string) {
  return queryOptions({
    queryKey: [...keys.stateChanges(org, stack), to, from ?? null],
    staleTime: Number.POSITIVE_INFINITY,
    // A state that is too large, or encrypted by its engine, is so the next time too.
    retry: false,
    queryFn: ({ signal }) =>
      answerOf(
        api.GET("/api/v1/orgs/{org_id}/stacks/{stack_id}/state/versions/{version_id}/changes", {
          params: { path: { ...at(org, stack), version_id: to }, query: from === undefined ? {} : { from } },
          signal,
        }),
      ),
  });
}

/** The version as an engine wrote it. */
export function stateVersionUrl(org: string, stack: string, version: string): string {
  const parts = ["orgs", org, "stacks", stack, "state", "versions", version, "body"].map(encodeURIComponent);
  return `${BASE_URL}/api/v1/${parts.join("/")}`;
}
