/** Plans as people read them. What a run has planned never changes, so it is read once. */
import { queryOptions } from "@tanstack/react-query";
import { answerOf } from "../../../clients/api/client.ts";
import { errorOf } from "../../../clients/api/problem.ts";
import { linesOf } from "../../../clients/plan/lines.ts";
import { api } from "./api.ts";
import { BASE_URL } from "./base.ts";
import { keys } from "./keys.ts";

export type DeploymentPlace = { org: string; stack: string; id: string };

const FOR_EVER = Number.POSITIVE_INFINITY;
const at = ({ org, stack, id }: DeploymentPlace) => ({ org_id: org, stack_id: stack, id });

/** Where the parts of a deployment are that are no JSON. */
export function deploymentUrl({ org, stack, id }: DeploymentPlace): string {
  const parts = ["orgs", org, "stacks", stack, "deployments", id].map(encodeURIComponent);
  return `${BASE_URL}/api/v1/${parts.join("/")}`;
}

export function planTextQuery(place: DeploymentPlace, runId: string) {
  return queryOptions({
    queryKey: [...keys.plan(place.org, runId), "text"],
    staleTime: FOR_EVER,
    structuralSharing: false,
    queryFn: async ({ signal }) => {
      const answer = await fetch(`${deploymentUrl(place)}/plan/text?run_id=${runId}`, { signal });
      if (!answer.ok) throw await errorOf(answer);
      return answer.text();
    },
  });
}

/** Lines of JSON, as they come. */
export async function* readChangeLines(
  place: DeploymentPlace,
  runId: string,
  signal: AbortSignal,
): AsyncGenerator<string[], void> {
  const headers = { accept: "application/x-ndjson" };
  const answer = await fetch(`${deploymentUrl(place)}/plan/changes?run_id=${runId}`, { headers, signal });
  if (!answer.ok || answer.body === null) throw await errorOf(answer);
  yield* linesOf(answer.body);
}

/** What became of the deployment, oldest first; all of it, since no deployment has many. */
export function activityQuery(place: DeploymentPlace) {
  return queryOptions({
    queryKey: [...keys.deployment(place.org, place.stack, place.id), "events"],
    queryFn: async ({ signal }) => {
      const items = [];
      let cursor: string | null = null;
      do {
        const page = await readActivity(place, cursor, signal);
        items.push(...page.items);
        cursor = page.next_cursor;
      } while (cursor !== null);
      return items;
    },
  });
}

function readActivity(place: DeploymentPlace, cursor: string | null, signal: AbortSignal) {
  return answerOf(
    api.GET("/api/v1/orgs/{org_id}/stacks/{stack_id}/deployments/{id}/events", {
      params: { path: at(place), query: { limit: 200, ...(cursor !== null && { cursor }) } },
      signal,
    }),
  );
}

export function dependentsQuery(place: DeploymentPlace) {
  return queryOptions({
    queryKey: [...keys.deployment(place.org, place.stack, place.id), "dependents"],
    queryFn: ({ signal }) =>
      answerOf(
        api.GET("/api/v1/orgs/{org_id}/stacks/{stack_id}/deployments/{id}/dependents", {
          params: { path: at(place), query: { limit: 200 } },
          signal,
        }),
      ),
  });
}
