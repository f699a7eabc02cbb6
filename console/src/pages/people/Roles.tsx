import { useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { rolesQuery } from "../../data/people.ts";
import { Button } from "../../ui/Button.tsx";
import { Panel } from "../../ui/Panel.tsx";
import rows from "../../ui/rows.module.css";
import { Split } from "../../ui/Split.tsx";
import { SplitRow } from "../../ui/SplitRow.tsx";
import { Failed, Loading } from "../../ui/states.tsx";
import { RoleDetail } from "./RoleDetail.tsx";
import { RoleDialog } from "./RoleDialog.tsx";
import { usePeople } from "./usePeople.ts";

export function Roles() {
  const { org, search, set, may, show } = usePeople();
  const roles = useQuery(rolesQuery(org));
  const mayCreate = may("role", "create");
  const selected = roles.data?.find(({ id }) => id === search.id);
  if (roles.isError) return <Failed error={roles.error} onRetry={() => void roles.refetch()} />;
  const add = (
    <Button small kind="primary" icon={<Plus size={14} aria-hidden />} onClick={() => show("new")}>
      New role
    </Button>
  );
  return (
    <>
      <Split
        back={{ link: { to: "/orgs/$org/people", params: { org }, search: { tab: "roles" } }, label: "All roles" }}
        list={
          <Panel title="Roles" more={mayCreate && add}>
            {roles.isPending && <Loading lines={5} what="Loading the roles" />}
            <ul className={rows.rows} aria-label="Roles">
              {roles.data?.map(({ id, name, is_system, permissions }) => (
                <SplitRow
                  key={id}
                  link={{ to: "/orgs/$org/people", params: { org }, search: { tab: "roles", id } }}
                  title={name}
                  selected={id === search.id}
                  meta={
                    <>
                      <span>{is_system ? "system role" : "own role"}</span>
                      <span>
                        {permissions.length} {permissions.length === 1 ? "permission" : "permissions"}
                      </span>
                    </>
                  }
                />
              ))}
            </ul>
          </Panel>
        }
        detail={selected ? <RoleDetail key={selected.id} role={selected} /> : null}
      />
      {search.dialog === "new" && mayCreate && (
        <RoleDialog
          org={org}
          existing={null}
          onClose={() => show(undefined)}
          onMade={(id) => set({ id, dialog: undefined })}
        />
      )}
    </>
  );
}
