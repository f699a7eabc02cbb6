import { UserMinus } from "lucide-react";
import { useState } from "react";
import { answerOf } from "../../../../clients/api/client.ts";
import { api } from "../../data/api.ts";
import { peopleKey } from "../../data/people.ts";
import type { Member } from "../../data/types.ts";
import { useWrite } from "../../data/write.ts";
import { toast } from "../../shell/announce.tsx";
import { Button } from "../../ui/Button.tsx";
import { ConfirmDialog } from "../../ui/ConfirmDialog.tsx";
import { Copy } from "../../ui/Copy.tsx";
import { Facts } from "../../ui/Facts.tsx";
import { Check } from "../../ui/Field.tsx";
import { Panel } from "../../ui/Panel.tsx";
import { Time } from "../../ui/Time.tsx";
import { Assignments } from "./Assignments.tsx";
import css from "./Page.module.css";
import { usePeople } from "./usePeople.ts";

const CAME_BY: Readonly<Record<string, string>> = {
  manual: "added by a person",
  invitation: "an invitation",
  identity_source: "a rule of a sign-in source",
  founder: "made the organization",
};

export function MemberDetail({ member }: { member: Member }) {
  const { org, search, set, may, show } = usePeople();
  const { user_id, login, display_name, source, expires_at, disabled_at, created_at } = member;
  const mayRemove = may("member", "delete");
  return (
    <>
      <Panel
        title={display_name ?? login}
        more={
          mayRemove && (
            <Button small icon={<UserMinus size={14} aria-hidden />} onClick={() => show("remove")}>
              Remove
            </Button>
          )
        }
      >
        <Facts
          facts={[
            ["Login", login],
            ["Came by", CAME_BY[source] ?? source],
            ["Since", <Time key="since" at={created_at} />],
            ["Until", expires_at ? <Time key="until" at={expires_at} /> : "without end"],
            disabled_at !== null && ["Disabled", <Time key="disabled" at={disabled_at} />],
            [
              "Id",
              <span key="id" className={css.copied}>
                <code>{user_id}</code>
                <Copy text={user_id} what="id" />
              </span>,
            ],
          ]}
        />
      </Panel>
      {may("role", "read") && (
        <Panel title="Roles">
          <Assignments org={org} holder={{ user_id }} mayAssign={may("role", "assign")} />
        </Panel>
      )}
      {search.dialog === "remove" && mayRemove && (
        <RemoveMember
          org={org}
          member={member}
          mayKeep={may("service_account", "update")}
          onClose={() => show(undefined)}
          onDone={() => set({ id: undefined, dialog: undefined })}
        />
      )}
    </>
  );
}

type RemoveProps = { org: string; member: Member; mayKeep: boolean; onClose: () => void; onDone: () => void };

function RemoveMember({ org, member: { user_id, login }, mayKeep, onClose, onDone }: RemoveProps) {
  const [keep, setKeep] = useState(false);
  const remove = useWrite(
    (tokens: "end" | "keep", headers) =>
      answerOf(
        api.DELETE("/api/v1/orgs/{org_id}/members/{user_id}", {
          params: { path: { org_id: org, user_id }, query: { service_account_tokens: tokens } },
          headers,
        }),
      ),
    {
      changes: [peopleKey(org)],
      onDone: () => {
        toast(`${login} is no member any more`);
        onDone();
      },
    },
  );
  return (
    <ConfirmDialog
      title={`Remove ${login}`}
      action="Remove"
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate(keep ? "keep" : "end")}
      onClose={onClose}
    >
      <p>Their tokens, roles and invitations here end at once. What they did stays in the audit log.</p>
      {mayKeep && (
        <Check
          label="Keep the service account tokens that they minted"
          hint="They go on in your name. Otherwise they end too."
          checked={keep}
          onChange={setKeep}
        />
      )}
    </ConfirmDialog>
  );
}
