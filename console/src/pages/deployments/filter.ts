/** From the address of the page to what the service is asked. Pure. */
import type { AllDeploymentsFilter } from "../../data/deployments.ts";
import { several } from "../../shell/search.ts";
import { MODE_VALUES, ORIGINS } from "../../ui/deploymentFilters.ts";
import { STATUSES } from "../../ui/status.ts";

export type Search = Partial<
  Record<"status" | "mode" | "origin" | "labels" | "commit" | "by" | "since" | "until" | "mine", string | undefined>
>;

export function filterOf({
  status,
  mode,
  origin,
  labels,
  commit,
  by,
  since,
  until,
  mine,
}: Search): AllDeploymentsFilter {
  const [statuses, modes, origins] = [several(status, STATUSES), several(mode, MODE_VALUES), several(origin, ORIGINS)];
  return {
    ...(statuses.length > 0 && { status: statuses }),
    ...(modes.length > 0 && { mode: modes }),
    ...(origins.length > 0 && { origin_type: origins }),
    ...(labels !== undefined && { labels }),
    ...(commit !== undefined && { commit_sha: commit }),
    ...(by !== undefined && { created_by: by }),
    ...(since !== undefined && { created_after: since }),
    ...(until !== undefined && { created_before: until }),
    ...(mine !== undefined && { actionable: "me" as const }),
  };
}
