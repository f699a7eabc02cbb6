import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { stackDeploymentsQuery } from "../../data/deployments.ts";
import { several } from "../../shell/search.ts";
import { DeploymentRow } from "../../ui/DeploymentRow.tsx";
import { MODE_OPTIONS, MODE_VALUES, ORIGIN_OPTIONS, ORIGINS, STATUS_OPTIONS } from "../../ui/deploymentFilters.ts";
import { FilterBar, FilterSelect } from "../../ui/FilterBar.tsx";
import { PagedList } from "../../ui/PagedList.tsx";
import { Panel } from "../../ui/Panel.tsx";
import { Empty } from "../../ui/states.tsx";
import { STATUSES } from "../../ui/status.ts";

const route = getRouteApi("/orgs/$org/stacks/$stack/");

export default function Deployments() {
  const { org, stack } = route.useParams();
  const { status, mode, origin } = route.useSearch();
  const navigate = route.useNavigate();
  const [statuses, modes, origins] = [several(status, STATUSES), several(mode, MODE_VALUES), several(origin, ORIGINS)];
  const list = useInfiniteQuery({
    ...stackDeploymentsQuery(org, stack, {
      ...(statuses.length > 0 && { status: statuses }),
      ...(modes.length > 0 && { mode: modes }),
      ...(origins.length > 0 && { origin_type: origins }),
    }),
    placeholderData: keepPreviousData,
  });
  const set = (name: string, value: string | undefined) =>
    void navigate({ search: (before) => ({ ...before, [name]: value }), replace: true });
  const isFiltered = [status, mode, origin].some((value) => value !== undefined);
  return (
    <div>
      <FilterBar onClear={isFiltered ? () => void navigate({ search: {} }) : undefined}>
        <FilterSelect
          label="Status"
          value={status}
          options={STATUS_OPTIONS}
          onChange={(value) => set("status", value)}
        />
        <FilterSelect label="Kind" value={mode} options={MODE_OPTIONS} onChange={(value) => set("mode", value)} />
        <FilterSelect
          label="Origin"
          value={origin}
          options={ORIGIN_OPTIONS}
          onChange={(value) => set("origin", value)}
        />
      </FilterBar>
      <Panel title="Deployments">
        <PagedList
          label="Deployments"
          list={list}
          row={(deployment) => <DeploymentRow key={deployment.id} deployment={deployment} />}
          empty={<Empty title={isFiltered ? "No deployment fits" : "Never deployed"} />}
        />
      </Panel>
    </div>
  );
}
