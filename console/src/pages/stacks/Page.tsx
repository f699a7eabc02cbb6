import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useCallback } from "react";
import { useMay } from "../../data/permissions.ts";
import { labelsQuery, type StackFilter, stacksQuery } from "../../data/stacks.ts";
import { useCommands } from "../../shell/commands.ts";
import { PageHead } from "../../shell/PageHead.tsx";
import { useTitle } from "../../shell/title.ts";
import { Button } from "../../ui/Button.tsx";
import { FilterBar, FilterSelect } from "../../ui/FilterBar.tsx";
import { PagedList } from "../../ui/PagedList.tsx";
import { Panel } from "../../ui/Panel.tsx";
import { SearchBox } from "../../ui/SearchBox.tsx";
import { Empty } from "../../ui/states.tsx";
import { STATUSES, signOf } from "../../ui/status.ts";
import { NewStack } from "./NewStack.tsx";
import { StackRow } from "./StackRow.tsx";

const route = getRouteApi("/orgs/$org/stacks");

const SORTS = {
  name: { sort: "name", order: "asc" },
  deployed: { sort: "latest_deployment_created_at", order: "desc" },
  created: { sort: "created_at", order: "desc" },
} as const satisfies Record<string, StackFilter>;
const SORT_OPTIONS = [
  { value: "deployed", label: "Deployed last" },
  { value: "created", label: "Created last" },
];
const STATUS_OPTIONS = STATUSES.map((status) => ({ value: status, label: signOf(status).word }));

export default function Page() {
  useTitle("Stacks");
  const { org } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { sort, order } = SORTS[(search.sort ?? "name") as keyof typeof SORTS] ?? SORTS.name;
  const filter: StackFilter = {
    ...{ sort, order },
    ...(search.search && { search: search.search }),
    ...(search.labels && { labels: search.labels }),
    ...(search.status && { latest_deployment_status: search.status }),
  };
  const list = useInfiniteQuery({ ...stacksQuery(org, filter), placeholderData: keepPreviousData });
  const labels = useQuery(labelsQuery(org));
  const set = useCallback(
    (name: keyof typeof search, value: string | undefined) =>
      void navigate({ search: (before) => ({ ...before, [name]: value }), replace: true }),
    [navigate],
  );
  const onSearch = useCallback((text: string | undefined) => set("search", text), [set]);
  // A name that fits the reader's grants is found out in the form.
  const mayCreate = useMay(org)("stack", "create", null);
  const create = () => set("dialog", "new");
  useCommands(mayCreate ? [{ label: "New stack", keys: "c", group: "This page", run: create }] : []);
  const isFiltered = Object.keys(search).some((name) => name !== "sort" && name !== "dialog");
  const labelOptions = (labels.data?.items ?? []).flatMap(({ key, values }) =>
    values.map((value) => ({ value: `${key}=${value}`, label: `${key}=${value}` })),
  );
  return (
    <>
      <PageHead
        title="Stacks"
        actions={
          mayCreate && (
            <Button kind="primary" icon={<Plus size={15} aria-hidden />} onClick={create}>
              New stack
            </Button>
          )
        }
      />
      <FilterBar onClear={isFiltered ? () => void navigate({ search: {} }) : undefined}>
        <SearchBox label="Name contains" value={search.search} onChange={onSearch} />
        <FilterSelect
          label="Last deployment"
          value={search.status}
          options={STATUS_OPTIONS}
          onChange={(status) => set("status", status)}
        />
        {labelOptions.length > 0 && (
          <FilterSelect
            label="Label"
            value={search.labels}
            options={labelOptions}
            onChange={(text) => set("labels", text)}
          />
        )}
        <FilterSelect label="Order" value={search.sort} options={SORT_OPTIONS} onChange={(by) => set("sort", by)} />
      </FilterBar>
      <Panel title={search.sort === undefined ? "By name" : "Newest first"}>
        <PagedList
          label="Stacks"
          list={list}
          row={(stack) => <StackRow key={stack.id} stack={stack} />}
          empty={
            <Empty title={isFiltered ? "No stack fits" : "No stack yet"}>
              {isFiltered ? "Fewer filters find more." : "A stack is a folder of a repository that is deployed."}
            </Empty>
          }
        />
      </Panel>
      {search.dialog === "new" && mayCreate && <NewStack org={org} onClose={() => set("dialog", undefined)} />}
    </>
  );
}
