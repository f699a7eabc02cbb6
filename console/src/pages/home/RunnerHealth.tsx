import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { groupQueueQuery, runnerGroupsQuery } from "../../data/orgs.ts";
import type { RunnerGroup } from "../../data/types.ts";
import { classes } from "../../ui/classes.ts";
import { span } from "../../ui/instants.ts";
import { Panel } from "../../ui/Panel.tsx";
import rows from "../../ui/rows.module.css";
import { Empty, Failed, Loading } from "../../ui/states.tsx";
import { Time } from "../../ui/Time.tsx";
import css from "./Page.module.css";

/** Whether there is somebody to do the work, and whether it piles up. */
export function RunnerHealth({ org }: { org: string }) {
  const { data, error, isPending } = useQuery(runnerGroupsQuery(org));
  return (
    <Panel title="Runners" {...(data && { count: data.length })}>
      {error && <Failed error={error} />}
      {isPending && <Loading lines={2} />}
      {data?.length === 0 && <Empty title="No runner group">Without one nothing can run.</Empty>}
      <ul className={rows.rows}>
        {data?.map((group) => (
          <Group key={group.id} org={org} group={group} />
        ))}
      </ul>
    </Panel>
  );
}

function Group({ org, group }: { org: string; group: RunnerGroup }) {
  const { data: queue } = useQuery(groupQueueQuery(org, group.id));
  return (
    <li className={classes(rows.row, css.group)}>
      <Link to="/orgs/$org/runners" params={{ org }} search={{ group: group.id }} className={rows.link} data-row>
        {group.name}
      </Link>
      <span>{queue && `${queue.running} of ${queue.capacity} busy`}</span>
      <span className={rows.meta}>
        {group.last_contact_at === null ? (
          "never seen"
        ) : (
          <span>
            seen <Time at={group.last_contact_at} />
          </span>
        )}
        {queue !== undefined && queue.pending > 0 && (
          <span>
            {queue.pending} wait, the first for {span(queue.oldest_pending_seconds * 1_000, 1)}
          </span>
        )}
        {group.last_dispatch_error && <span>{group.last_dispatch_error}</span>}
      </span>
    </li>
  );
}
