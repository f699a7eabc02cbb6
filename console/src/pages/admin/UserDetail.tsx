import { useQuery } from "@tanstack/react-query";
import { answerOf } from "../../../../clients/api/client.ts";
import { userQuery, usersKey } from "../../data/admin.ts";
import { api } from "../../data/api.ts";
import { meQuery } from "../../data/me.ts";
import type { UserDetail as Detail } from "../../data/types.ts";
import { useWrite } from "../../data/write.ts";
import { toast } from "../../shell/announce.tsx";
import { Actions } from "../../ui/Actions.tsx";
import { Button } from "../../ui/Button.tsx";
import { ConfirmDialog } from "../../ui/ConfirmDialog.tsx";
import { Facts } from "../../ui/Facts.tsx";
import { Panel } from "../../ui/Panel.tsx";
import rows from "../../ui/rows.module.css";
import { SplitRow } from "../../ui/SplitRow.tsx";
import { Failed, Loading } from "../../ui/states.tsx";
import { Time } from "../../ui/Time.tsx";
import { useAdmin } from "./useAdmin.ts";

export function UserDetail({ id }: { id: string }) {
  const user = useQuery(userQuery(id));
  if (user.isError) return <Failed error={user.error} onRetry={() => void user.refetch()} />;
  if (user.data === undefined) return <Loading lines={6} what="Loading the person" />;
  return <Person user={user.data} />;
}

function Person({ user }: { user: Detail }) {
  const { search, set } = useAdmin();
  const me = useQuery(meQuery());
  const { id, login, display_name, disabled_at } = user;
  const name = display_name ?? login;
  const at = { params: { path: { user_id: id } } };
  const close = () => set({ dialog: undefined });
  const done = (text: string) => () => {
    toast(text);
    close();
  };
  const changes = [usersKey];
  const disable = useWrite<unknown>(
    (_, headers) => answerOf(api.POST("/api/v1/users/{user_id}/disable", { ...at, headers })),
    { changes, onDone: done(`${name} is disabled`) },
  );
  const enable = useWrite<unknown>(
    (_, headers) => answerOf(api.POST("/api/v1/users/{user_id}/enable", { ...at, headers })),
    { changes, onDone: done(`${name} may sign in again`) },
  );
  const logout = useWrite<unknown>(
    (_, headers) => answerOf(api.POST("/api/v1/users/{user_id}/force-logout", { ...at, headers })),
    { changes, onDone: done(`All that ${name} held has ended`) },
  );
  const isMe = me.data?.id === id;
  return (
    <>
      <Panel
        title={name}
        more={
          !isMe && (
            <Actions>
              <Button small onClick={() => set({ dialog: "logout" })}>
                Sign out everywhere
              </Button>
              {disabled_at === null ? (
                <Button small onClick={() => set({ dialog: "disable" })}>
                  Disable
                </Button>
              ) : (
                <Button small busy={enable.isPending} onClick={() => enable.mutate()}>
                  Enable
                </Button>
              )}
            </Actions>
          )
        }
      >
        <Facts
          facts={[
            ["Login", login],
            ["Super-admin", user.is_super_admin ? "yes" : "no"],
            disabled_at !== null && ["Disabled", <Time key="disabled" at={disabled_at} />],
            ["Signed in last", user.last_login_at ? <Time key="last" at={user.last_login_at} /> : "never"],
            ["Known since", <Time key="since" at={user.created_at} />],
            ["Sessions", user.sessions],
            ["Own tokens", user.personal_tokens],
            ["Tokens of service accounts", user.minted_tokens],
            ["Id", <code key="id">{id}</code>],
          ]}
        />
      </Panel>
      <Panel title="Identities" count={user.identities.length}>
        <ul className={rows.rows} aria-label="Identities">
          {user.identities.map((identity) => (
            <SplitRow
              key={identity.id}
              title={identity.login ?? identity.subject}
              meta={
                <>
                  <span>{identity.provider_key}</span>
                  <span>{identity.issuer}</span>
                  {identity.last_login_at && (
                    <span>
                      used <Time at={identity.last_login_at} />
                    </span>
                  )}
                </>
              }
            />
          ))}
        </ul>
      </Panel>
      {search.dialog === "disable" && !isMe && (
        <ConfirmDialog
          title={`Disable ${name}`}
          action="Disable"
          busy={disable.isPending}
          error={disable.error}
          onConfirm={() => disable.mutate()}
          onClose={close}
        >
          Ends their sessions, their tokens, every service account token they minted and the invitations they gave.
          Enabling them brings none of it back.
        </ConfirmDialog>
      )}
      {search.dialog === "logout" && !isMe && (
        <ConfirmDialog
          title={`Sign ${name} out everywhere`}
          action="End all of it"
          busy={logout.isPending}
          error={logout.error}
          onConfirm={() => logout.mutate()}
          onClose={close}
        >
          Ends their sessions, their tokens, every service account token they minted and the invitations they gave. They
          may sign in again at once.
        </ConfirmDialog>
      )}
    </>
  );
}
