import { useQuery } from "@tanstack/react-query";
import { budgetQuery } from "../../data/orgs.ts";
import { span } from "../../ui/instants.ts";
import { Notice } from "../../ui/Notice.tsx";
import { Panel } from "../../ui/Panel.tsx";
import { Failed, Loading } from "../../ui/states.tsx";
import css from "./Page.module.css";

/** How many runs the organization may begin this hour. */
export function Budget({ org }: { org: string }) {
  const { data, error } = useQuery(budgetQuery(org));
  return (
    <Panel title="Runs this hour">
      {error && <Failed error={error} />}
      {!error && data === undefined && <Loading lines={2} />}
      {data && (
        <div className={css.budget}>
          <p>
            {Math.floor(data.available)} of {data.runs_per_hour_limit} can begin now
          </p>
          <meter
            className={css.bar}
            min={0}
            max={data.runs_per_hour_limit}
            value={data.available}
            aria-label="Runs that can begin"
          />
          {data.throttled && (
            <Notice tone="warn">Used up. The next run can begin in {span(data.next_slot_seconds * 1_000)}.</Notice>
          )}
        </div>
      )}
    </Panel>
  );
}
