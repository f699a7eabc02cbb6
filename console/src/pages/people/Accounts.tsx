import { useInfiniteQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { serviceAccountsQuery } from "../../data/people.ts";
import { Badge } from "../../ui/Badge.tsx";
import { Button } from "../../ui/Button.tsx";
import { PagedList } from "../../ui/PagedList.tsx";
import { Panel } from "../../ui/Panel.tsx";
import { Split } from "../../ui/Split.tsx";
import { SplitRow } from "../../ui/SplitRow.tsx";
import { Empty } from "../../ui/states.tsx";
import { AccountDetail } from "./AccountDetail.tsx";
import { AccountDialog } from "./AccountDialog.tsx";
import { usePeople } from "./usePeople.ts";

/** Programs that act in the organization, each with tokens of its own. */
export function Accounts() {
  const { org, search, set, may, show } = usePeople();
  const list = useInfiniteQuery(serviceAccountsQuery(org));
  const mayCreate = may("service_account", "create");
  const add = (
    <Button small kind="primary" icon={<Plus size={14} aria-hidden />} onClick={() => show("new")}>
      New service account
    </Button>
  );
  return (
    <>
      <Split
        back={{
          link: { to: "/orgs/$org/people", params: { org }, search: { tab: "accounts" } },
          label: "All service accounts",
        }}
        list={
          <Panel title="Service accounts" more={mayCreate && add}>
            <PagedList
              label="Service accounts"
              list={list}
              empty={<Empty title="No service account">Programs get one, with roles and tokens of its own.</Empty>}
              row={({ id, name, roles, disabled_at }) => (
                <SplitRow
                  key={id}
                  link={{ to: "/orgs/$org/people", params: { org }, search: { tab: "accounts", id } }}
                  title={name}
                  selected={id === search.id}
                  meta={<span>{roles.length === 0 ? "no role" : roles.map((role) => role.name).join(", ")}</span>}
                  end={disabled_at && <Badge tone="bad">Disabled</Badge>}
                />
              )}
            />
          </Panel>
        }
        detail={search.id ? <AccountDetail key={search.id} id={search.id} /> : null}
      />
      {search.dialog === "new" && mayCreate && (
        <AccountDialog
          org={org}
          account={null}
          onClose={() => show(undefined)}
          onMade={(id) => set({ id, dialog: undefined })}
        />
      )}
    </>
  );
}
