import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { fleetDriftQuery } from "../../data/drift.ts";
import type { DriftItem } from "../../data/types.ts";
import { PageHead } from "../../shell/PageHead.tsx";
import { useTitle } from "../../shell/title.ts";
import { DriftBadge } from "../../ui/DriftBadge.tsx";
import { DRIFT_OPTIONS, putOffText, resourcesText } from "../../ui/driftText.ts";
import { FilterBar, FilterSelect } from "../../ui/FilterBar.tsx";
import { Labels } from "../../ui/Labels.tsx";
import { PagedList } from "../../ui/PagedList.tsx";
import { Panel } from "../../ui/Panel.tsx";
import { SplitRow } from "../../ui/SplitRow.tsx";
import { Empty } from "../../ui/states.tsx";
import { Time } from "../../ui/Time.tsx";

const route = getRouteApi("/orgs/$org/drift");
const OPTIONS = [{ value: "drifted,failed", label: "Needs somebody" }, ...DRIFT_OPTIONS];

/** All stacks that are checked: which of them are not what was applied. */
export default function Page() {
  useTitle("Drift");
  const { org } = route.useParams();
  const { status } = route.useSearch();
  const navigate = route.useNavigate();
  const list = useInfiniteQuery({ ...fleetDriftQuery(org, status), placeholderData: keepPreviousData });
  return (
    <>
      <PageHead title="Drift" />
      <FilterBar onClear={status === undefined ? undefined : () => void navigate({ search: {} })}>
        <FilterSelect
          label="Status"
          value={status}
          options={OPTIONS}
          onChange={(value) => void navigate({ search: (before) => ({ ...before, status: value }), replace: true })}
        />
      </FilterBar>
      <Panel title="Newest first">
        <PagedList
          label="Stacks that are checked"
          list={list}
          row={(item) => <Row key={item.stack_id} org={org} item={item} />}
          empty={
            <Empty title={status === undefined ? "No stack is checked" : "No stack fits"}>
              {status === undefined && "A policy of a stack, or a schedule of the organization, has stacks checked."}
            </Empty>
          }
        />
      </Panel>
    </>
  );
}

function Row({ org, item }: { org: string; item: DriftItem }) {
  const { stack_id: stack, stack_name, stack_labels, status, since, checked_at, total, error, put_off } = item;
  return (
    <SplitRow
      link={{ to: "/orgs/$org/stacks/$stack/drift", params: { org, stack } }}
      title={stack_name}
      meta={
        <>
          {status === "drifted" && <span>{resourcesText(total)}</span>}
          {since !== null && status !== "unknown" && (
            <span>
              since <Time at={since} />
            </span>
          )}
          {error !== null && <span>{error}</span>}
          {checked_at !== null && (
            <span>
              looked <Time at={checked_at} />
            </span>
          )}
          {put_off !== null && <span>put off: {putOffText(put_off)}</span>}
          <Labels labels={stack_labels} />
        </>
      }
      end={<DriftBadge status={status} />}
    />
  );
}
