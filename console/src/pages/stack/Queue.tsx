import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { queueQuery } from "../../data/stacks.ts";
import { DeploymentRow } from "../../ui/DeploymentRow.tsx";
import { Panel } from "../../ui/Panel.tsx";
import rows from "../../ui/rows.module.css";
import { Empty, Failed, Loading } from "../../ui/states.tsx";
import { QueueActions } from "./QueueActions.tsx";

const route = getRouteApi("/orgs/$org/stacks/$stack/queue");

/** Who holds the stack, and who comes next. */
export default function Queue() {
  const { org, stack } = route.useParams();
  const { data, error, refetch } = useQuery(queueQuery(org, stack));
  if (error && data === undefined) return <Failed error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading />;
  const hidden = data.queued_count - data.items.length;
  return (
    <>
      <Panel title="Holds the stack">
        {data.holder === null ? (
          <Empty title="Nothing holds it">
            {data.held_at ? "It is on hold." : "The next deployment begins at once."}
          </Empty>
        ) : (
          <ul className={rows.rows}>
            <DeploymentRow deployment={data.holder} />
          </ul>
        )}
      </Panel>
      <Panel title="Behind it" count={data.queued_count}>
        {data.items.length === 0 && <Empty title="The queue is empty" />}
        <ul className={rows.rows}>
          {data.items.map((deployment) => (
            <DeploymentRow
              key={deployment.id}
              deployment={deployment}
              actions={<QueueActions deployment={deployment} />}
            />
          ))}
        </ul>
        {hidden > 0 && <p className={rows.more}>and {hidden} more</p>}
      </Panel>
    </>
  );
}
