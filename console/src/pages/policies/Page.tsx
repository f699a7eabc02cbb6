import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useMay } from "../../data/permissions.ts";
import { policiesQuery } from "../../data/policies.ts";
import { PageHead } from "../../shell/PageHead.tsx";
import { useTitle } from "../../shell/title.ts";
import { Button } from "../../ui/Button.tsx";
import { Labels } from "../../ui/Labels.tsx";
import { PagedList } from "../../ui/PagedList.tsx";
import { Panel } from "../../ui/Panel.tsx";
import { Split } from "../../ui/Split.tsx";
import { SplitRow } from "../../ui/SplitRow.tsx";
import { Empty } from "../../ui/states.tsx";
import { PolicyDetail } from "./PolicyDetail.tsx";
import { PolicyDialog } from "./PolicyDialog.tsx";

const route = getRouteApi("/orgs/$org/policies");
const here = "/orgs/$org/policies";

/** What the organization allows its plans to do. */
export default function Page() {
  useTitle("Policies");
  const { org } = route.useParams();
  const { policy, dialog } = route.useSearch();
  const navigate = route.useNavigate();
  const may = useMay(org);
  const list = useInfiniteQuery(policiesQuery(org));
  const show = (next: string | undefined) => void navigate({ search: (before) => ({ ...before, dialog: next }) });
  const mayCreate = may("policy", "create");
  const add = (
    <Button kind="primary" icon={<Plus size={15} aria-hidden />} onClick={() => show("new")}>
      New policy
    </Button>
  );
  return (
    <>
      <PageHead title="Policies" actions={mayCreate && add}>
        They look at every plan with changes before it may be applied. A mandatory one that denies, or cannot be
        evaluated, keeps the plan waiting.
      </PageHead>
      <Split
        back={{ link: { to: here, params: { org } }, label: "All policies" }}
        list={
          <Panel title="By name">
            <PagedList
              label="Policies"
              list={list}
              empty={<Empty title="No policy">Whoever may confirm decides alone.</Empty>}
              row={({ id, name, enforcement, version, selector }) => (
                <SplitRow
                  key={id}
                  link={{ to: here, params: { org }, search: { policy: id } }}
                  title={name}
                  selected={id === policy}
                  meta={
                    <>
                      <span>{enforcement}</span>
                      <span>{version === null ? "no version counts" : `version ${version}`}</span>
                      {Object.keys(selector).length === 0 ? <span>for every stack</span> : <Labels labels={selector} />}
                    </>
                  }
                />
              )}
            />
          </Panel>
        }
        detail={
          policy ? (
            <PolicyDetail
              key={policy}
              org={org}
              id={policy}
              dialog={dialog}
              onDialog={show}
              onGone={() => void navigate({ search: {} })}
            />
          ) : null
        }
      />
      {dialog === "new" && mayCreate && (
        <PolicyDialog
          org={org}
          policy={null}
          onClose={() => show(undefined)}
          onMade={(id) => void navigate({ search: { policy: id } })}
        />
      )}
    </>
  );
}
