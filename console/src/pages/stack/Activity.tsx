import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { auditQuery } from "../../data/audit.ts";
import { ActorName } from "../../ui/ActorName.tsx";
import { PagedList } from "../../ui/PagedList.tsx";
import { Panel } from "../../ui/Panel.tsx";
import rows from "../../ui/rows.module.css";
import { Empty } from "../../ui/states.tsx";
import { Time } from "../../ui/Time.tsx";
import css from "./tabs.module.css";

const route = getRouteApi("/orgs/$org/stacks/$stack/activity");

/** What people did to the stack itself, of the audit trail. */
export default function Activity() {
  const { org, stack } = route.useParams();
  const list = useInfiniteQuery(auditQuery(org, { resource_type: "stack", resource_id: stack }));
  return (
    <Panel title="What people did">
      <PagedList
        label="Activity"
        list={list}
        empty={<Empty title="Nobody did anything to it yet" />}
        row={({ id, action, actor, details, occurred_at }) => (
          <li key={id} className={`${rows.row} ${css.row}`}>
            <span>
              <code>{action}</code> <ActorName actor={actor} />
              <span className={rows.meta}>{detailsText(details)}</span>
            </span>
            <span className={rows.meta}>
              <Time at={occurred_at} />
            </span>
          </li>
        )}
      />
    </Panel>
  );
}

function detailsText(details: Readonly<Record<string, unknown>>): string {
  return Object.entries(details)
    .map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(" · ");
}
