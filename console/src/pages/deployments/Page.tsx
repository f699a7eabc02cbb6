import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { allDeploymentsQuery } from "../../data/deployments.ts";
import { labelsQuery } from "../../data/stacks.ts";
import { PageHead } from "../../shell/PageHead.tsx";
import { useTitle } from "../../shell/title.ts";
import { DeploymentRow } from "../../ui/DeploymentRow.tsx";
import { MODE_OPTIONS, ORIGIN_OPTIONS, STATUS_OPTIONS } from "../../ui/deploymentFilters.ts";
import { FilterBar, FilterSelect, FilterText } from "../../ui/FilterBar.tsx";
import { PagedList } from "../../ui/PagedList.tsx";
import { Panel } from "../../ui/Panel.tsx";
import { Empty } from "../../ui/states.tsx";
import { filterOf, type Search } from "./filter.ts";

const route = getRouteApi("/orgs/$org/deployments");

/** Deployments of all stacks. Every filter stands in the address. */
export default function Page() {
  useTitle("Deployments");
  const { org } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const list = useInfiniteQuery({ ...allDeploymentsQuery(org, filterOf(search)), placeholderData: keepPreviousData });
  const labels = useQuery(labelsQuery(org));
  const set = (change: Search) => void navigate({ search: (before) => ({ ...before, ...change }), replace: true });
  const clear = Object.keys(search).length > 0 ? () => void navigate({ search: {} }) : undefined;
  const labelOptions = (labels.data?.items ?? []).flatMap(({ key, values }) =>
    values.map((value) => ({ value: `${key}=${value}`, label: `${key}=${value}` })),
  );
  return (
    <>
      <PageHead title="Deployments" />
      <FilterBar onClear={clear}>
        <FilterSelect
          label="For"
          value={search.mine}
          options={[{ value: "yes", label: "Waits for me" }]}
          onChange={(mine) => set({ mine, ...(mine !== undefined && { status: undefined }) })}
        />
        <FilterSelect
          label="Status"
          value={search.status}
          options={STATUS_OPTIONS}
          onChange={(status) => set({ status })}
        />
        <FilterSelect label="Kind" value={search.mode} options={MODE_OPTIONS} onChange={(mode) => set({ mode })} />
        <FilterSelect
          label="Origin"
          value={search.origin}
          options={ORIGIN_OPTIONS}
          onChange={(origin) => set({ origin })}
        />
        {labelOptions.length > 0 && (
          <FilterSelect
            label="Label"
            value={search.labels}
            options={labelOptions}
            onChange={(text) => set({ labels: text })}
          />
        )}
        <FilterText label="Commit" value={search.commit} onChange={(commit) => set({ commit })} />
      </FilterBar>
      <Panel title="Newest first">
        <PagedList
          label="Deployments"
          list={list}
          row={(deployment) => <DeploymentRow key={deployment.id} deployment={deployment} withStack />}
          empty={
            <Empty title="No deployment fits">
              {clear ? "Fewer filters find more." : "The first one of a stack begins on the stack's page."}
            </Empty>
          }
        />
      </Panel>
    </>
  );
}
