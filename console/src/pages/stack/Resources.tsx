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

const route = getRouteApi("/orgs/$org/stacks/$stack/resources");

/** What the last finished deployment of the stack left, or a state that people put there since. */
export default function Resources() {
  const { org, stack } = route.useParams();
  const { search, type } = route.useSearch();
  const navigate = route.useNavigate();
  const filter = { stack, ...(search && { search }), ...(type && { type }) };
  const list = useInfiniteQuery({ ...resourcesQuery(org, filter), placeholderData: keepPreviousData });
  const set = useCallback(
    (name: "search" | "type", value: string | undefined) =>
      void navigate({ search: (before) => ({ ...before, [name]: value }), replace: true }),
    [navigate],
  );
  const onSearch = useCallback((text: string | undefined) => set("search", text), [set]);
  const isFiltered = search !== undefined || type !== undefined;
  return (
    <>
      <FilterBar onClear={isFiltered ? () => void navigate({ search: {}, replace: true }) : undefined}>
        <SearchBox label="Address or identity contains" value={search} onChange={onSearch} />
        <FilterText label="Type, such as aws_vpc" value={type} onChange={(text) => set("type", text)} />
      </FilterBar>
      <Panel title="Resources">
        <PagedList
          label="Resources"
          list={list}
          row={(resource) => <ResourceRow key={resource.address} resource={resource} />}
          empty={
            <Empty title={isFiltered ? "No resource fits" : "No resource yet"}>
              {isFiltered ? "Fewer filters find more." : "The first apply brings what it made."}
            </Empty>
          }
        />
      </Panel>
    </>
  );
}
