import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Download } from "lucide-react";
import { type AuditFilter, auditExportAddress, auditQuery } from "../../data/audit.ts";
import { useMay } from "../../data/permissions.ts";
import { PageHead } from "../../shell/PageHead.tsx";
import { useTitle } from "../../shell/title.ts";
import { AuditRow } from "../../ui/AuditRow.tsx";
import { buttonClass } from "../../ui/Button.tsx";
import { FilterBar, FilterText } from "../../ui/FilterBar.tsx";
import { PagedList } from "../../ui/PagedList.tsx";
import { Panel } from "../../ui/Panel.tsx";
import { Empty } from "../../ui/states.tsx";
import { RangeFilter } from "./RangeFilter.tsx";

const route = getRouteApi("/orgs/$org/audit");

/** Who changed what. Filters stand in the address, and the export has exactly what they leave. */
export default function Page() {
  useTitle("Audit");
  const { org } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const may = useMay(org);
  const { actor, action, type, resource, since, until } = search;
  const filter: AuditFilter = {
    ...(actor && { actor_id: actor }),
    ...(action && { action }),
    ...(type && { resource_type: type }),
    ...(resource && { resource_id: resource }),
    ...(since && { since }),
    ...(until && { until }),
  };
  const list = useInfiniteQuery({ ...auditQuery(org, filter), placeholderData: keepPreviousData });
  const set = (patch: Partial<typeof search>) =>
    void navigate({ search: (before) => ({ ...before, ...patch }), replace: true });
  const isFiltered = Object.keys(search).length > 0;
  const save = (
    <a className={buttonClass("plain")} href={auditExportAddress(org, filter)} download="audit-log.jsonl">
      <Download size={15} aria-hidden />
      Export
    </a>
  );
  return (
    <>
      <PageHead title="Audit" actions={may("org", "update") && save}>
        Who changed what. The export has every entry that fits, one JSON object a line.
      </PageHead>
      <FilterBar onClear={isFiltered ? () => void navigate({ search: {} }) : undefined}>
        <FilterText label="Action, as role.create" value={action} onChange={(text) => set({ action: text })} />
        <FilterText label="Type, as stack" value={type} onChange={(text) => set({ type: text })} />
        <FilterText label="Id of the thing" value={resource} onChange={(text) => set({ resource: text })} />
        <FilterText label="Id of who did it" value={actor} onChange={(text) => set({ actor: text })} />
        <RangeFilter since={since} until={until} onChange={set} />
      </FilterBar>
      <Panel title="Newest first">
        <PagedList
          label="Entries"
          list={list}
          row={(entry) => <AuditRow key={entry.id} entry={entry} org={org} />}
          empty={
            <Empty title={isFiltered ? "No entry fits" : "Nobody changed anything yet"}>
              {isFiltered && "Actions, types and ids are taken exactly; several with commas between them."}
            </Empty>
          }
        />
      </Panel>
    </>
  );
}
