import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { stacksQuery } from "../../data/stacks.ts";
import type { Context } from "../../data/types.ts";
import { Labels } from "../../ui/Labels.tsx";
import { PagedList } from "../../ui/PagedList.tsx";
import { Panel } from "../../ui/Panel.tsx";
import rows from "../../ui/rows.module.css";
import { SplitRow } from "../../ui/SplitRow.tsx";
import { Empty } from "../../ui/states.tsx";

/** The stacks that a context serves, of those that the reader may see. */
export function Reach({ org, selector }: { org: string; selector: Context["selector"] }) {
  const labels = Object.entries(selector)
    .map(([key, value]) => `${key}=${value}`)
    .join(",");
  const list = useInfiniteQuery(stacksQuery(org, { sort: "name", order: "asc", limit: 25, ...(labels && { labels }) }));
  const all = (
    <Link to="/orgs/$org/stacks" params={{ org }} search={labels ? { labels } : {}}>
      In the list of stacks
    </Link>
  );
  return (
    <Panel title="Stacks that get it" more={all}>
      <PagedList
        label="Stacks that get it"
        list={list}
        empty={<Empty title="No stack has its labels">As far as you may see.</Empty>}
        row={(stack) => (
          <SplitRow
            key={stack.id}
            title={stack.name}
            link={{ to: "/orgs/$org/stacks/$stack/settings", params: { org, stack: stack.id } }}
            meta={
              <span className={rows.meta}>
                <Labels labels={stack.labels} />
              </span>
            }
          />
        )}
      />
    </Panel>
  );
}
