import { useInfiniteQuery } from "@tanstack/react-query";
import { KeyRound } from "lucide-react";
import { useState } from "react";
import { answerOf } from "../../../../clients/api/client.ts";
import { api } from "../../data/api.ts";
import { accountTokensQuery, peopleKey } from "../../data/people.ts";
import type { ServiceAccount, ServiceAccountToken } from "../../data/types.ts";
import { useWrite } from "../../data/write.ts";
import { toast } from "../../shell/announce.tsx";
import { Button } from "../../ui/Button.tsx";
import { ConfirmDialog } from "../../ui/ConfirmDialog.tsx";
import { Field } from "../../ui/Field.tsx";
import { FormDialog } from "../../ui/FormDialog.tsx";
import { fieldErrors } from "../../ui/fieldErrors.ts";
import { Lifetime } from "../../ui/Lifetime.tsx";
import { PagedList } from "../../ui/PagedList.tsx";
import { Panel } from "../../ui/Panel.tsx";
import { SecretDialog } from "../../ui/SecretDialog.tsx";
import { SplitRow } from "../../ui/SplitRow.tsx";
import { Empty } from "../../ui/states.tsx";
import { Time } from "../../ui/Time.tsx";
import { usePeople } from "./usePeople.ts";

/** Tokens of an account: made here, shown once, and deleted here. */
export function AccountTokens({ account }: { account: ServiceAccount }) {
  const { org, search, may, show } = usePeople();
  const list = useInfiniteQuery(accountTokensQuery(org, account.id));
  const [made, setMade] = useState<string | null>(null);
  const [leaving, setLeaving] = useState<ServiceAccountToken | null>(null);
  const remove = useWrite(
    (token_id: string, headers) =>
      answerOf(
        api.DELETE("/api/v1/orgs/{org_id}/service-accounts/{account_id}/tokens/{token_id}", {
          params: { path: { org_id: org, account_id: account.id, token_id } },
          headers,
        }),
      ),
    {
      changes: [peopleKey(org)],
      onDone: () => {
        toast("The token is deleted");
        setLeaving(null);
      },
    },
  );
  const mayChange = may("service_account", "update");
  const add = (
    <Button small icon={<KeyRound size={14} aria-hidden />} onClick={() => show("token")}>
      New token
    </Button>
  );
  return (
    <Panel title="Tokens" more={mayChange && account.disabled_at === null && add}>
      <PagedList
        label="Tokens"
        list={list}
        empty={<Empty title="No token" />}
        row={(token) => (
          <SplitRow
            key={token.id}
            title={token.name}
            meta={
              <>
                <span>
                  ends <Time at={token.expires_at} />
                </span>
                <span>
                  made <Time at={token.created_at} />
                </span>
                {token.created_by && <span>by {token.created_by}</span>}
              </>
            }
            end={
              mayChange && (
                <Button small onClick={() => setLeaving(token)} aria-label={`Delete the token ${token.name}`}>
                  Delete
                </Button>
              )
            }
          >
            {token.minter_left_at && (
              <>
                Who minted it left <Time at={token.minter_left_at} />; 30 days after that it opens nothing.
              </>
            )}
          </SplitRow>
        )}
      />
      {search.dialog === "token" && mayChange && (
        <TokenDialog org={org} account={account} onMade={setMade} onClose={() => show(undefined)} />
      )}
      {made && (
        <SecretDialog
          title={`Token of ${account.name}`}
          what="token"
          secret={made}
          onClose={() => {
            setMade(null);
          }}
        />
      )}
      {leaving && (
        <ConfirmDialog
          title={`Delete the token ${leaving.name}`}
          action="Delete the token"
          busy={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate(leaving.id)}
          onClose={() => setLeaving(null)}
        >
          Whatever uses it is refused from now on.
        </ConfirmDialog>
      )}
    </Panel>
  );
}

type DialogProps = { org: string; account: ServiceAccount; onMade: (token: string) => void; onClose: () => void };

function TokenDialog({ org, account, onMade, onClose }: DialogProps) {
  const [name, setName] = useState("");
  const [lifetime, setLifetime] = useState("");
  const create = useWrite(
    (body: { name: string; lifetime?: string }, headers) =>
      answerOf(
        api.POST("/api/v1/orgs/{org_id}/service-accounts/{account_id}/tokens", {
          params: { path: { org_id: org, account_id: account.id } },
          body,
          headers,
        }),
      ),
    {
      changes: [peopleKey(org)],
      onDone: ({ token }) => {
        onClose();
        onMade(token);
      },
    },
  );
  const wrong = fieldErrors(create.error);
  return (
    <FormDialog
      title={`New token of ${account.name}`}
      submit="Make the token"
      busy={create.isPending}
      error={create.error}
      onSubmit={() => create.mutate({ name: name.trim(), ...(lifetime && { lifetime }) })}
      onClose={onClose}
    >
      <Field label="Name" hint="What it is for, so that it can be told from others later." error={wrong.get("name")}>
        <input value={name} required maxLength={100} onChange={(event) => setName(event.target.value)} />
      </Field>
      <Lifetime value={lifetime} onChange={setLifetime} error={wrong.get("lifetime")} />
    </FormDialog>
  );
}
