import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { scmIntegrationsQuery } from "../../data/codeHosts.ts";
import { useMay } from "../../data/permissions.ts";
import { PageHead } from "../../shell/PageHead.tsx";
import { useTitle } from "../../shell/title.ts";
import { Button } from "../../ui/Button.tsx";
import { PagedList } from "../../ui/PagedList.tsx";
import { Panel } from "../../ui/Panel.tsx";
import { Split } from "../../ui/Split.tsx";
import { SplitRow } from "../../ui/SplitRow.tsx";
import { Empty } from "../../ui/states.tsx";
import { HealthBadge } from "./HealthBadge.tsx";
import { IntegrationDetail } from "./IntegrationDetail.tsx";
import { IntegrationDialog } from "./IntegrationDialog.tsx";

const route = getRouteApi("/orgs/$org/code-hosts");
const here = "/orgs/$org/code-hosts";

/** Where repositories are, by which credentials they are read, and what the hosts have said. */
export default function Page() {
  useTitle("Code hosts");
  const { org } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const may = useMay(org);
  const list = useInfiniteQuery(scmIntegrationsQuery(org));
  const set = (patch: Partial<typeof search>) => void navigate({ search: (before) => ({ ...before, ...patch }) });
  const mayCreate = may("scm_integration", "create");
  const add = (
    <Button kind="primary" icon={<Plus size={15} aria-hidden />} onClick={() => set({ dialog: "new" })}>
      New integration
    </Button>
  );
  return (
    <>
      <PageHead title="Code hosts" actions={mayCreate && add} />
      <Split
        back={{ link: { to: here, params: { org } }, label: "All integrations" }}
        list={
          <Panel title="Integrations">
            <PagedList
              label="Integrations"
              list={list}
              empty={
                <Empty title="No code host">
                  Public repositories are read without one. Private ones, pushes and pull requests need one.
                </Empty>
              }
              row={(integration) => (
                <SplitRow
                  key={integration.id}
                  link={{ to: here, params: { org }, search: { integration: integration.id } }}
                  title={integration.name}
                  selected={integration.id === search.integration}
                  meta={
                    <>
                      <code>{integration.url_pattern}</code>
                      {integration.priority !== 100 && <span>priority {integration.priority}</span>}
                    </>
                  }
                  end={<HealthBadge integration={integration} />}
                />
              )}
            />
          </Panel>
        }
        detail={
          search.integration ? (
            <IntegrationDetail
              key={search.integration}
              org={org}
              id={search.integration}
              state={search.state}
              dialog={search.dialog}
              onState={(state) => set({ state })}
              onDialog={(dialog) => set({ dialog })}
              onGone={() => void navigate({ search: {} })}
            />
          ) : null
        }
      />
      {search.dialog === "new" && mayCreate && (
        <IntegrationDialog
          org={org}
          integration={null}
          onClose={() => set({ dialog: undefined })}
          onMade={(integration) => void navigate({ search: { integration } })}
        />
      )}
    </>
  );
}
