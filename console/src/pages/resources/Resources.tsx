import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useCallback } from "react";
import { resourcesQuery } from "../../data/graph.ts";
import { FilterBar, FilterText } from "../../ui/FilterBar.tsx";
import { PagedList } from "../../ui/PagedList.tsx";
import { Panel } from "../../ui/Panel.tsx";
import { ResourceRow } from "../../ui/ResourceRow.tsx";
import { SearchBox } from "../../ui/SearchBox.tsx";
import { Empty } from "../../ui/states.tsx";

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
          row={(resource) => (
            <ResourceRow
              key={`${resource.stack.id} ${resource.address}`}
              resource={resource}
              stack={{ to: "/orgs/$org/stacks/$stack", params: { org, stack: resource.stack.id } }}
            />
          )}
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
