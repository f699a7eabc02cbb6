import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Ban, CircleCheck, Plus } from "lucide-react";
import { notificationIntegrationsQuery } from "../../data/notifications.ts";
import { useMay } from "../../data/permissions.ts";
import { PageHead } from "../../shell/PageHead.tsx";
import { useTitle } from "../../shell/title.ts";
import { Badge } from "../../ui/Badge.tsx";
import { Button } from "../../ui/Button.tsx";
import { Labels } from "../../ui/Labels.tsx";
import { PagedList } from "../../ui/PagedList.tsx";
import { Panel } from "../../ui/Panel.tsx";
import { Split } from "../../ui/Split.tsx";
import { SplitRow } from "../../ui/SplitRow.tsx";
import { Empty } from "../../ui/states.tsx";
import { Deliveries } from "./Deliveries.tsx";
import { FORMS } from "./forms.ts";
import { IntegrationDetail } from "./IntegrationDetail.tsx";
import { IntegrationDialog } from "./IntegrationDialog.tsx";

const route = getRouteApi("/orgs/$org/notifications");
const here = "/orgs/$org/notifications";

/** Who is told of what, and what did not arrive. */
export default function Page() {
  useTitle("Notifications");
  const { org } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const may = useMay(org);
  const list = useInfiniteQuery(notificationIntegrationsQuery(org));
  const set = (patch: Partial<typeof search>) => void navigate({ search: (before) => ({ ...before, ...patch }) });
  const mayCreate = may("notification_integration", "create");
  const add = (
    <Button kind="primary" icon={<Plus size={15} aria-hidden />} onClick={() => set({ dialog: "new" })}>
      New integration
    </Button>
  );
  const deliveries = (
    <Deliveries
      org={org}
      integration={search.integration}
      state={search.state}
      event={search.event}
      onFilter={set}
      mayRetry={may("notification_integration", "update")}
    />
  );
  return (
    <>
      <PageHead title="Notifications" actions={mayCreate && add} />
      <Split
        back={{ link: { to: here, params: { org } }, label: "All integrations" }}
        list={
          <>
            <Panel title="Integrations">
              <PagedList
                label="Integrations"
                list={list}
                empty={
                  <Empty title="Nobody is told anything">
                    An integration tells a chat, a program or people by e-mail.
                  </Empty>
                }
                row={({ id, name, provider_type, enabled, events, stack_label_selector }) => (
                  <SplitRow
                    key={id}
                    link={{ to: here, params: { org }, search: { integration: id } }}
                    title={name}
                    selected={id === search.integration}
                    meta={
                      <>
                        <span>{FORMS[provider_type].short}</span>
                        <span>
                          {events.length} {events.length === 1 ? "event" : "events"}
                        </span>
                        <Labels labels={stack_label_selector} />
                      </>
                    }
                    end={
                      <Badge tone={enabled ? "ok" : "still"} icon={enabled ? CircleCheck : Ban}>
                        {enabled ? "Enabled" : "Disabled"}
                      </Badge>
                    }
                  />
                )}
              />
            </Panel>
            {search.integration === undefined && deliveries}
          </>
        }
        detail={
          search.integration ? (
            <>
              <IntegrationDetail
                key={search.integration}
                org={org}
                id={search.integration}
                dialog={search.dialog}
                onDialog={(dialog) => set({ dialog })}
                onGone={() => void navigate({ search: {} })}
              />
              {deliveries}
            </>
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
