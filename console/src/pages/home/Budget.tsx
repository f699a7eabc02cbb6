import { useQuery } from "@tanstack/react-query";
import { budgetQuery } from "../../data/orgs.ts";
import { span } from "../../ui/instants.ts";
import { Notice } from "../../ui/Notice.tsx";
import { Panel } from "../../ui/Panel.tsx";
import { Failed, Loading } from "../../ui/states.tsx";
import css from "./Page.module.css";

/** A budget fills by the hour, up to what it gets in a day. */
const KEPT_HOURS = 24;

/** How many runs the organization may begin. */
export function Budget({ org }: { org: string }) {
  const { data, error } = useQuery(budgetQuery(org));
  return (
    <Panel title="Run budget">
      {error && <Failed error={error} />}
      {!error && data === undefined && <Loading lines={2} />}
      {data && (
        <div className={css.budget}>
          <p>
            <strong>{data.available}</strong> can begin now
          </p>
          <meter
            className={css.bar}
            min={0}
            max={data.runs_per_hour_limit * KEPT_HOURS}
            value={data.available}
            aria-label="Runs that can begin now"
          />
          <p className={css.hint}>{data.runs_per_hour_limit} more each hour</p>
          {data.throttled && (
            <Notice tone="warn">Used up. The next run can begin in {span(data.next_slot_seconds * 1_000)}.</Notice>
          )}
        </div>
      )}
    </Panel>
  );
}
