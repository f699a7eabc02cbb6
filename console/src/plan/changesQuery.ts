/** The changes of one plan run as rows, from the first that arrive to the last. */
import { type QueryClient, queryOptions } from "@tanstack/react-query";
import { keys } from "../data/keys.ts";
import { type DeploymentPlace, readChangeLines } from "../data/plans.ts";
import { type Row, rowOf } from "./rows.ts";

export type Changes = { rows: readonly Row[]; complete: boolean };

/** Rows that have come are shown this far apart, so that showing does not hold up their coming. */
const SHOW_MS = 150;
/** Changes of plans that nobody looks at any more are let go. */
const KEPT_MS = 120_000;

export function changesQuery(client: QueryClient, place: DeploymentPlace, runId: string) {
  const queryKey = [...keys.plan(place.org, runId), "changes"];
  return queryOptions({
    queryKey,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: KEPT_MS,
    structuralSharing: false,
    queryFn: async ({ signal }): Promise<Changes> => {
      const rows: Row[] = [];
      let shown = Number.NEGATIVE_INFINITY;
      for await (const lines of readChangeLines(place, runId, signal)) {
        for (const line of lines) if (line !== "") rows.push(rowOf(line, rows.length));
        if (performance.now() - shown < SHOW_MS) continue;
        shown = performance.now();
        client.setQueryData<Changes>(queryKey, { rows: rows.slice(), complete: false });
      }
      return { rows, complete: true };
    },
  });
}
