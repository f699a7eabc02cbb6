import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useState } from "react";
import { orgQuery } from "../../data/orgs.ts";
import { useMay } from "../../data/permissions.ts";
import { pagedRunnerGroupsQuery } from "../../data/runners.ts";
import type { KeyedRunnerGroup } from "../../data/types.ts";
import { PageHead } from "../../shell/PageHead.tsx";
import { useTitle } from "../../shell/title.ts";
import { Button } from "../../ui/Button.tsx";
import { PagedList } from "../../ui/PagedList.tsx";
import { Panel } from "../../ui/Panel.tsx";
import { Split } from "../../ui/Split.tsx";
import { Empty } from "../../ui/states.tsx";
import { Budget } from "./Budget.tsx";
import { GroupDetail } from "./GroupDetail.tsx";
import { GroupDialog } from "./GroupDialog.tsx";
import { GroupRow } from "./GroupRow.tsx";
import { KeyDialog } from "./KeyDialog.tsx";

const route = getRouteApi("/orgs/$org/runners");

/** Who does the work, what waits for them, and the keys by which they are known. */
export default function Page() {
  useTitle("Runners");
  const { org } = route.useParams();
  const { group, dialog } = route.useSearch();
  const navigate = route.useNavigate();
  const may = useMay(org);
  const list = useInfiniteQuery(pagedRunnerGroupsQuery(org));
  const organization = useQuery(orgQuery(org));
  const [made, setMade] = useState<KeyedRunnerGroup | null>(null);
  const show = (next: string | undefined) => void navigate({ search: (before) => ({ ...before, dialog: next }) });
  const mayCreate = may("runner_group", "create", null);
  const onMade = (answer: KeyedRunnerGroup) => {
    setMade(answer);
    void navigate({ search: { group: answer.group.id } });
  };
  const add = (
    <Button kind="primary" icon={<Plus size={15} aria-hidden />} onClick={() => show("new")}>
      New group
    </Button>
  );
  return (
    <>
      <PageHead title="Runners" actions={mayCreate && add}>
        <Budget org={org} />
      </PageHead>
      <Split
        back={{ link: { to: "/orgs/$org/runners", params: { org } }, label: "All groups" }}
        list={
          <Panel title="Groups">
            <PagedList
              label="Runner groups"
              list={list}
              empty={
                <Empty title="No runner group">
                  Without one nothing can run. A coordinator with a group's key takes its runs.
                </Empty>
              }
              row={(row) => (
                <GroupRow
                  key={row.id}
                  group={row}
                  selected={row.id === group}
                  isDefault={row.id === organization.data?.default_runner_group_id}
                />
              )}
            />
          </Panel>
        }
        detail={group ? <GroupDetail org={org} id={group} dialog={dialog} onDialog={show} onKey={setMade} /> : null}
      />
      {dialog === "new" && mayCreate && (
        <GroupDialog org={org} group={null} onMade={onMade} onClose={() => show(undefined)} />
      )}
      {made && <KeyDialog keyed={made} onClose={() => setMade(null)} />}
    </>
  );
}
