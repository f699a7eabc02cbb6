import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { answerOf } from "../../../../clients/api/client.ts";
import type { operations } from "../../../../clients/api/schema.d.ts";
import { api } from "../../data/api.ts";
import { identitiesKey, identitiesQuery } from "../../data/me.ts";
import { type PlatformKey, platformWaysQuery } from "../../data/signIn.ts";
import type { Identity } from "../../data/types.ts";
import { useWrite } from "../../data/write.ts";
import { toast } from "../../shell/announce.tsx";
import { Button } from "../../ui/Button.tsx";
import { FormError } from "../../ui/FormError.tsx";
import { PagedList } from "../../ui/PagedList.tsx";
import { Panel } from "../../ui/Panel.tsx";
import rows from "../../ui/rows.module.css";
import { Empty } from "../../ui/states.tsx";
import { Time } from "../../ui/Time.tsx";
import css from "./rows.module.css";

type ProviderKey = operations["startLinking"]["parameters"]["path"]["provider_key"];

/** What the person can sign in with. */
export function Identities() {
  const list = useInfiniteQuery(identitiesQuery());
  const { data: ways = [] } = useQuery(platformWaysQuery());
  const unlink = useWrite(
    (identity_id: string, headers) =>
      api.DELETE("/api/v1/me/identities/{identity_id}", { params: { path: { identity_id } }, headers }),
    { changes: [identitiesKey], onDone: () => toast("Unlinked") },
  );
  const link = useWrite(
    (provider_key: PlatformKey, headers) =>
      answerOf(
        api.POST("/api/v1/auth/sso/{provider_key}/link/start", {
          params: { path: { provider_key: provider_key as ProviderKey } },
          body: { return_to: "/me?tab=identities" },
          headers,
        }),
      ),
    { onDone: ({ authorization_url }) => location.assign(authorization_url) },
  );
  const more = ways.map(({ key, name }) => (
    <Button key={key} small busy={link.isPending && link.variables === key} onClick={() => link.mutate(key)}>
      Link {name}
    </Button>
  ));
  return (
    <Panel title="Identities" more={<span className={css.buttons}>{more}</span>}>
      <PagedList
        label="Identities"
        list={list}
        empty={<Empty title="No identity" />}
        row={(identity) => (
          <Row
            key={identity.id}
            identity={identity}
            busy={unlink.isPending && unlink.variables === identity.id}
            onUnlink={() => unlink.mutate(identity.id)}
          />
        )}
      />
      <FormError error={unlink.error ?? link.error} />
    </Panel>
  );
}

function Row({ identity, busy, onUnlink }: { identity: Identity; busy: boolean; onUnlink: () => void }) {
  const { login, subject, issuer, can_sign_in, this_session, last_login_at } = identity;
  return (
    <li className={`${rows.row} ${css.row}`}>
      <span>
        <strong>{login ?? subject}</strong>
        <span className={rows.meta}>
          <span>{issuer}</span>
          {last_login_at && (
            <span>
              last used <Time at={last_login_at} />
            </span>
          )}
          {this_session && <span>what you are signed in with</span>}
          {!can_sign_in && <span>cannot sign in any more</span>}
        </span>
      </span>
      <Button small busy={busy} aria-label={`Unlink ${login ?? subject}`} onClick={onUnlink}>
        Unlink
      </Button>
    </li>
  );
}
