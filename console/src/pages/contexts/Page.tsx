import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { contextsQuery } from "../../data/contexts.ts";
import { useMay } from "../../data/permissions.ts";
import { PageHead } from "../../shell/PageHead.tsx";
import { useTitle } from "../../shell/title.ts";
import { Button } from "../../ui/Button.tsx";
import { Labels } from "../../ui/Labels.tsx";
import { PagedList } from "../../ui/PagedList.tsx";
import { Panel } from "../../ui/Panel.tsx";
import { Split } from "../../ui/Split.tsx";
import { SplitRow } from "../../ui/SplitRow.tsx";
import { Empty } from "../../ui/states.tsx";
import { ContextDetail } from "./ContextDetail.tsx";
import { ContextDialog } from "./ContextDialog.tsx";

const route = getRouteApi("/orgs/$org/contexts");
const here = "/orgs/$org/contexts";

/** Variables that runs get, and which stacks get them. */
export default function Page() {
  useTitle("Contexts");
  const { org } = route.useParams();
  const { context, dialog } = route.useSearch();
  const navigate = route.useNavigate();
  const may = useMay(org);
  const list = useInfiniteQuery(contextsQuery(org));
  const show = (next: string | undefined) => void navigate({ search: (before) => ({ ...before, dialog: next }) });
  const mayCreate = may("context", "create");
  const add = (
    <Button kind="primary" icon={<Plus size={15} aria-hidden />} onClick={() => show("new")}>
      New context
    </Button>
  );
  return (
    <>
      <PageHead title="Contexts" actions={mayCreate && add}>
        Variables for runs. Of two contexts with the same variable the one whose name comes later gives the value.
      </PageHead>
      <Split
        back={{ link: { to: here, params: { org } }, label: "All contexts" }}
        list={
          <Panel title="By name">
            <PagedList
              label="Contexts"
              list={list}
              empty={<Empty title="No context">Runs get variables from contexts whose labels their stack has.</Empty>}
              row={({ id, name, selector, variables }) => (
                <SplitRow
                  key={id}
                  link={{ to: here, params: { org }, search: { context: id } }}
                  title={name}
                  selected={id === context}
                  meta={
                    <>
                      <span>
                        {variables.length} {variables.length === 1 ? "variable" : "variables"}
                      </span>
                      {Object.keys(selector).length === 0 ? <span>for every stack</span> : <Labels labels={selector} />}
                    </>
                  }
                />
              )}
            />
          </Panel>
        }
        detail={
          context ? (
            <ContextDetail
              key={context}
              org={org}
              id={context}
              dialog={dialog}
              onDialog={show}
              onGone={() => void navigate({ search: {} })}
            />
          ) : null
        }
      />
      {dialog === "new" && mayCreate && (
        <ContextDialog
          org={org}
          context={null}
          onClose={() => show(undefined)}
          onMade={(id) => void navigate({ search: { context: id } })}
        />
      )}
    </>
  );
}
