import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Settings2, Trash2 } from "lucide-react";
import { answerOf } from "../../../../clients/api/client.ts";
import { api } from "../../data/api.ts";
import { assignmentsQuery, membersQuery, peopleKey, serviceAccountsQuery } from "../../data/people.ts";
import type { Permission, Role } from "../../data/types.ts";
import { useWrite } from "../../data/write.ts";
import { toast } from "../../shell/announce.tsx";
import { Actions } from "../../ui/Actions.tsx";
import { Button } from "../../ui/Button.tsx";
import { ConfirmDialog } from "../../ui/ConfirmDialog.tsx";
import { Panel } from "../../ui/Panel.tsx";
import rows from "../../ui/rows.module.css";
import { SplitRow } from "../../ui/SplitRow.tsx";
import { Empty } from "../../ui/states.tsx";
import { Table } from "../../ui/Table.tsx";
import { actionWords, targetWords, typeWords } from "./permissionText.ts";
import { RoleDialog } from "./RoleDialog.tsx";
import { usePeople } from "./usePeople.ts";

const keyOf = (p: Permission) => [p.resource_type, p.action, p.resource_pattern, p.authz_group].join("/");

export function RoleDetail({ role }: { role: Role }) {
  const { org, search, set, may, show } = usePeople();
  const close = () => show(undefined);
  const remove = useWrite(
    (role_id: string, headers) =>
      answerOf(
        api.DELETE("/api/v1/orgs/{org_id}/roles/{role_id}", { params: { path: { org_id: org, role_id } }, headers }),
      ),
    {
      changes: [peopleKey(org)],
      onDone: () => {
        toast(`The role ${role.name} is deleted`);
        set({ id: undefined, dialog: undefined });
      },
    },
  );
  const mayChange = !role.is_system && may("role", "update");
  const mayDelete = !role.is_system && may("role", "delete");
  return (
    <>
      <Panel
        title={role.name}
        more={
          <Actions>
            {mayChange && (
              <Button small icon={<Settings2 size={14} aria-hidden />} onClick={() => show("edit")}>
                Change
              </Button>
            )}
            {mayDelete && (
              <Button small icon={<Trash2 size={14} aria-hidden />} onClick={() => show("delete")}>
                Delete
              </Button>
            )}
          </Actions>
        }
      >
        {role.permissions.length === 0 ? (
          <Empty title="No permission" />
        ) : (
          <Table
            label={`Permissions of ${role.name}`}
            rows={role.permissions}
            rowKey={keyOf}
            columns={[
              { head: "On", cell: (p) => typeWords(p.resource_type) },
              { head: "May", cell: (p) => actionWords(p.action) },
              { head: "Which", cell: targetWords },
            ]}
          />
        )}
      </Panel>
      <Holders org={org} role={role} />
      {search.dialog === "edit" && mayChange && <RoleDialog org={org} existing={role} onClose={close} />}
      {search.dialog === "delete" && mayDelete && (
        <ConfirmDialog
          title={`Delete ${role.name}`}
          action="Delete the role"
          busy={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate(role.id)}
          onClose={close}
        >
          Whoever has it loses it at once, and every invitation and binding that would give it.
        </ConfirmDialog>
      )}
    </>
  );
}

function Holders({ org, role }: { org: string; role: Role }) {
  const members = useInfiniteQuery(membersQuery(org));
  const accounts = useInfiniteQuery(serviceAccountsQuery(org));
  // Of an organization with many, those beyond the first page are shown by their ids.
  const names = new Map([
    ...(members.data ?? []).map((each) => [each.user_id, each.display_name ?? each.login] as const),
    ...(accounts.data ?? []).map((each) => [each.id, each.name] as const),
  ]);
  const { data } = useQuery(assignmentsQuery(org, { role_id: role.id }));
  if (data === undefined) return null;
  return (
    <Panel title="Has it directly" count={data.length}>
      {data.length === 0 && <Empty title="Nobody directly">Sign-in may confer it too.</Empty>}
      <ul className={rows.rows} aria-label="Who has it">
        {data.map(({ id, user_id, service_account_id }) => (
          <SplitRow
            key={id}
            title={names.get(user_id ?? service_account_id ?? "") ?? user_id ?? service_account_id}
            meta={<span>{user_id ? "person" : "service account"}</span>}
            link={{
              to: "/orgs/$org/people",
              params: { org },
              search: user_id ? { id: user_id } : { tab: "accounts", id: service_account_id ?? "" },
            }}
          />
        ))}
      </ul>
    </Panel>
  );
}
