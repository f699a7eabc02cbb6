import { useInfiniteQuery } from "@tanstack/react-query";
import { Mail } from "lucide-react";
import { useState } from "react";
import { answerOf } from "../../../../clients/api/client.ts";
import { api } from "../../data/api.ts";
import { invitationsQuery, peopleKey } from "../../data/people.ts";
import type { Invitation } from "../../data/types.ts";
import { useWrite } from "../../data/write.ts";
import { toast } from "../../shell/announce.tsx";
import { Button } from "../../ui/Button.tsx";
import { ConfirmDialog } from "../../ui/ConfirmDialog.tsx";
import { PagedList } from "../../ui/PagedList.tsx";
import { Panel } from "../../ui/Panel.tsx";
import { SplitRow } from "../../ui/SplitRow.tsx";
import { Empty } from "../../ui/states.tsx";
import { Time } from "../../ui/Time.tsx";
import { InvitationDialog } from "./InvitationDialog.tsx";
import { PROVIDERS } from "./providers.ts";
import { usePeople } from "./usePeople.ts";

export function Invitations() {
  const { org, search, set, may, show } = usePeople();
  const list = useInfiniteQuery(invitationsQuery(org));
  const [leaving, setLeaving] = useState<Invitation | null>(null);
  const mayInvite = may("member", "create");
  const edited = list.data?.find(({ id }) => id === search.id);
  const withdraw = useWrite(
    (invitation_id: string, headers) =>
      answerOf(
        api.DELETE("/api/v1/orgs/{org_id}/invitations/{invitation_id}", {
          params: { path: { org_id: org, invitation_id } },
          headers,
        }),
      ),
    {
      changes: [peopleKey(org)],
      onDone: () => {
        toast("The invitation is taken back");
        setLeaving(null);
      },
    },
  );
  const close = () => set({ id: undefined, dialog: undefined });
  return (
    <>
      <Panel
        title="Invitations that wait"
        more={
          mayInvite && (
            <Button small kind="primary" icon={<Mail size={14} aria-hidden />} onClick={() => show("invite")}>
              Invite
            </Button>
          )
        }
      >
        <PagedList
          label="Invitations"
          list={list}
          empty={<Empty title="No invitation waits">Who is invited is a member as soon as they sign in.</Empty>}
          row={(invitation) => (
            <SplitRow
              key={invitation.id}
              title={invitation.login}
              meta={
                <>
                  <span>signs in at {PROVIDERS[invitation.provider_key] ?? invitation.provider_key}</span>
                  <span>
                    {invitation.roles.length === 0 ? "no role" : invitation.roles.map(({ name }) => name).join(", ")}
                  </span>
                  <span>
                    ends <Time at={invitation.expires_at} />
                  </span>
                </>
              }
              end={
                mayInvite && (
                  <>
                    <Button
                      small
                      onClick={() => set({ id: invitation.id, dialog: "edit" })}
                      aria-label={`Change the invitation of ${invitation.login}`}
                    >
                      Change
                    </Button>
                    <Button
                      small
                      onClick={() => setLeaving(invitation)}
                      aria-label={`Take back the invitation of ${invitation.login}`}
                    >
                      Take back
                    </Button>
                  </>
                )
              }
            />
          )}
        />
      </Panel>
      {search.dialog === "invite" && mayInvite && <InvitationDialog org={org} invitation={null} onClose={close} />}
      {search.dialog === "edit" && mayInvite && edited && (
        <InvitationDialog org={org} invitation={edited} onClose={close} />
      )}
      {leaving && (
        <ConfirmDialog
          title="Take the invitation back"
          action="Take back"
          busy={withdraw.isPending}
          error={withdraw.error}
          onConfirm={() => withdraw.mutate(leaving.id)}
          onClose={() => setLeaving(null)}
        >
          {leaving.login} will not become a member by signing in.
        </ConfirmDialog>
      )}
    </>
  );
}
