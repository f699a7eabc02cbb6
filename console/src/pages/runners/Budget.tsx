import { useQuery } from "@tanstack/react-query";
import { budgetQuery } from "../../data/orgs.ts";
import { span } from "../../ui/instants.ts";

/** Why nothing may be handed out although runners are there. */
export function Budget({ org }: { org: string }) {
  const { data } = useQuery(budgetQuery(org));
  if (data === undefined) return null;
  const { throttled, runs_per_hour_limit, available, next_slot_seconds } = data;
  return (
    <>
      <span>{runs_per_hour_limit.toLocaleString()} runs per hour</span>
      <span>{Math.floor(available).toLocaleString()} left</span>
      {throttled && <span>nothing is handed out, the next in {span(next_slot_seconds * 1_000, 1)}</span>}
    </>
  );
}
