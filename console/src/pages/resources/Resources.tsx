import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useCallback } from "react";
import { type Resource, resourcesQuery } from "../../data/graph.ts";
import { FilterBar, FilterText } from "../../ui/FilterBar.tsx";
import { PagedList } from "../../ui/PagedList.tsx";
import { Panel } from "../../ui/Panel.tsx";
import rows from "../../ui/rows.module.css";
import { SearchBox } from "../../ui/SearchBox.tsx";
import { Empty } from "../../ui/states.tsx";
import css from "./Page.module.css";

const route = getRouteApi("/orgs/$org/resources");

export function Resources() {
  const { org } = route.useParams();
  const { search, type, stack } = route.useSearch();
  const navigate = route.useNavigate();
  const filter = { ...(search && { search }), ...(type && { type }), ...(stack && { stack }) };
  const list = useInfiniteQuery({ ...resourcesQuery(org, filter), placeholderData: keepPreviousData });
  const set = useCallback(
    (name: "search" | "type" | "stack", value: string | undefined) =>
      void navigate({ search: (before) => ({ ...before, [name]: value }), replace: true }),
    [navigate],
  );
  const onSearch = useCallback((text: string | undefined) => set("search", text), [set]);
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <>
      <FilterBar onClear={isFiltered ? () => void navigate({ search: {} }) : undefined}>
        <SearchBox label="Address or identity contains" value={search} onChange={onSearch} />
        <FilterText label="Type, such as aws_vpc" value={type} onChange={(text) => set("type", text)} />
        <FilterText label="Stack" value={stack} onChange={(text) => set("stack", text)} />
      </FilterBar>
      <Panel title="By address">
        <PagedList
          label="Resources"
          list={list}
          row={(resource) => <ResourceRow key={`${resource.stack.id} ${resource.address}`} org={org} {...resource} />}
          empty={
            <Empty title={isFiltered ? "No resource fits" : "No resource yet"}>
              {isFiltered ? "Fewer filters find more." : "The first apply of a stack brings what it made."}
            </Empty>
          }
        />
      </Panel>
    </>
  );
}

function ResourceRow({ org, stack, address, mode, type, provider, identity }: Resource & { org: string }) {
  return (
    <li className={`${rows.row} ${css.row}`}>
      <Link to="/orgs/$org/stacks/$stack" params={{ org, stack: stack.id }} className={rows.link} data-row>
        <code className={rows.mono}>{address}</code>
      </Link>
      <span className={rows.meta}>
        <span>{stack.name}</span>
        <span>{mode === "data" ? `${type}, read only` : type}</span>
        <span>{provider}</span>
        {identity && <code className={css.identity}>{identity}</code>}
      </span>
    </li>
  );
}
