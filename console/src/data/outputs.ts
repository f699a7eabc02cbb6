import { queryOptions } from "@tanstack/react-query";
import { answerOf } from "../../../clients/api/client.ts";
import { api } from "./api.ts";
import { keys } from "./keys.ts";
import type { StackOutput } from "./types.ts";

const at = (org: string, stack: string) => ({ path: { org_id: org, stack_id: stack } });

export const readersKey = (org: string, stack: string) => [...keys.stack(org, stack), "output-readers"] as const;

export function outputsQuery(org: string, stack: string) {
  return queryOptions({
    // They follow the stack's deployments.
    queryKey: [...keys.stackWork(org, stack), "outputs"],
    queryFn: ({ signal }) =>
      answerOf(api.GET("/api/v1/orgs/{org_id}/stacks/{stack_id}/outputs", { params: at(org, stack), signal })),
  });
}

export function outputReadersQuery(org: string, stack: string) {
  return queryOptions({
    queryKey: readersKey(org, stack),
    queryFn: ({ signal }) =>
      answerOf(api.GET("/api/v1/orgs/{org_id}/stacks/{stack_id}/output-readers", { params: at(org, stack), signal })),
  });
}

/** One with its value although it is sensitive. It is an entry of the audit trail, so no query keeps or repeats it. */
export function revealOutput(org: string, stack: string, name: string): Promise<StackOutput> {
  return answerOf(
    api.GET("/api/v1/orgs/{org_id}/stacks/{stack_id}/outputs/{name}", {
      params: { path: { org_id: org, stack_id: stack, name }, query: { reveal: "true" } },
    }),
  );
}
