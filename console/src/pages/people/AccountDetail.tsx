import { useQuery } from "@tanstack/react-query";
import { answerOf } from "../../../../clients/api/client.ts";
import { api } from "../../data/api.ts";
import { peopleKey, serviceAccountQuery } from "../../data/people.ts";
import type { ServiceAccount } from "../../data/types.ts";
import { useWrite } from "../../data/write.ts";
import { toast } from "../../shell/announce.tsx";
import { Actions } from "../../ui/Actions.tsx";
import { Badge } from "../../ui/Badge.tsx";
import { Button } from "../../ui/Button.tsx";
import { ConfirmDialog } from "../../ui/ConfirmDialog.tsx";
import { Facts } from "../../ui/Facts.tsx";
import { Panel } from "../../ui/Panel.tsx";
import { Failed, Loading } from "../../ui/states.tsx";
import { Time } from "../../ui/Time.tsx";
import { AccountDialog } from "./AccountDialog.tsx";
import { AccountTokens } from "./AccountTokens.tsx";
import { Assignments } from "./Assignments.tsx";
import { usePeople } from "./usePeople.ts";

export function AccountDetail({ id }: { id: string }) {
  const { org, may } = usePeople();
  const account = useQuery(serviceAccountQuery(org, id));
  if (account.isError) return <Failed error={account.error} onRetry={() => void account.refetch()} />;
  if (account.data === undefined) return <Loading lines={6} what="Loading the account" />;
  return (
    <>
      <Account account={account.data} />
      <AccountTokens account={account.data} />
      {may("role", "read") && (
        <Panel title="Roles">
          <Assignments org={org} holder={{ service_account_id: id }} mayAssign={may("role", "assign")} />
        </Panel>
      )}
    </>
  );
}

function Account({ account }: { account: ServiceAccount }) {
  const { org, search, set, may, show } = usePeople();
  const { id, name, disabled_at, created_at } = account;
  const path = { org_id: org, account_id: id };
  const changes = [peopleKey(org)];
  const close = () => show(undefined);
  const disable = useWrite<unknown>(
    (_, headers) =>
      answerOf(api.POST("/api/v1/orgs/{org_id}/service-accounts/{account_id}/disable", { params: { path }, headers })),
    {
      changes,
      onDone: () => {
        close();
        toast(`${name} is disabled`);
      },
    },
  );
  const enable = useWrite<unknown>(
    (_, headers) =>
      answerOf(api.POST("/api/v1/orgs/{org_id}/service-accounts/{account_id}/enable", { params: { path }, headers })),
    { changes, onDone: () => toast(`${name} may get tokens again`) },
  );
  const remove = useWrite<unknown>(
    (_, headers) =>
      answerOf(api.DELETE("/api/v1/orgs/{org_id}/service-accounts/{account_id}", { params: { path }, headers })),
    {
      changes,
      onDone: () => {
        toast(`${name} is deleted`);
        set({ id: undefined, dialog: undefined });
      },
    },
  );
  const mayChange = may("service_account", "update");
  const mayDelete = may("service_account", "delete");
  return (
    <Panel
      title={name}
      more={
        <Actions>
          {mayChange && (
            <Button small onClick={() => show("edit")}>
              Rename
            </Button>
          )}
          {mayChange && disabled_at === null && (
            <Button small onClick={() => show("disable")}>
              Disable
            </Button>
          )}
          {mayChange && disabled_at !== null && (
            <Button small busy={enable.isPending} onClick={() => enable.mutate()}>
              Enable
            </Button>
          )}
          {mayDelete && (
            <Button small onClick={() => show("delete")}>
              Delete
            </Button>
          )}
        </Actions>
      }
    >
      <Facts
        facts={[
          [
            "State",
            disabled_at === null ? (
              <Badge key="s" tone="ok">
                Enabled
              </Badge>
            ) : (
              <Badge key="s" tone="bad">
                Disabled
              </Badge>
            ),
          ],
          disabled_at !== null && ["Disabled", <Time key="d" at={disabled_at} />],
          ["Made", <Time key="m" at={created_at} />],
          ["Id", <code key="i">{id}</code>],
        ]}
      />
      {search.dialog === "edit" && mayChange && <AccountDialog org={org} account={account} onClose={close} />}
      {search.dialog === "disable" && mayChange && (
        <ConfirmDialog
          title={`Disable ${name}`}
          action="Disable"
          busy={disable.isPending}
          error={disable.error}
          onConfirm={() => disable.mutate()}
          onClose={close}
        >
          Its access ends at once. Its tokens and the invitations it gave are deleted; enabling it brings none of them
          back.
        </ConfirmDialog>
      )}
      {search.dialog === "delete" && mayDelete && (
        <ConfirmDialog
          title={`Delete ${name}`}
          action="Delete the account"
          busy={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate()}
          onClose={close}
          phrase={name}
        >
          Its access ends at once, with its tokens, its roles and the invitations it gave.
        </ConfirmDialog>
      )}
    </Panel>
  );
}
