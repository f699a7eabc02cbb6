/** Who asked for the newer plan, from the activity log. */
import { useQuery } from "@tanstack/react-query";
import { activityQuery, type DeploymentPlace } from "../../data/plans.ts";
import type { Deployment } from "../../data/types.ts";
import { Time } from "../../ui/Time.tsx";

export function WhoPlanned({ place, deployment }: { place: DeploymentPlace; deployment: Deployment }) {
  const activity = useQuery({ ...activityQuery(place), staleTime: 0 }).data ?? [];
  const replan = activity.findLast(({ kind }) => kind === "confirmed_replan");
  const coming = deployment.status === "pending" || deployment.status === "planning";
  return (
    <span data-who-planned>
      {replan === undefined
        ? "Another plan was asked for"
        : `${replan.actor?.name ?? "Somebody"} asked for another plan `}
      {replan !== undefined && <Time at={replan.created_at} />}
      {coming ? "; it is being made." : deployment.status === "waiting" ? "; it waits now." : "."}
    </span>
  );
}
