import { useState } from "react";
import { answerOf } from "../../../../clients/api/client.ts";
import { api } from "../../data/api.ts";
import { peopleKey } from "../../data/people.ts";
import type { Invitation } from "../../data/types.ts";
import { useWrite } from "../../data/write.ts";
import { toast } from "../../shell/announce.tsx";
import { Field } from "../../ui/Field.tsx";
import { FormDialog } from "../../ui/FormDialog.tsx";
import { fieldErrors } from "../../ui/fieldErrors.ts";
import { Lifetime } from "../../ui/Lifetime.tsx";
import { PROVIDER_KEYS, PROVIDERS, type ProviderKey } from "./providers.ts";
import { RolePicker } from "./RolePicker.tsx";

type Body = { provider_key: ProviderKey; login: string; role_ids: string[]; lifetime?: string };
/** @param invitation null for a new one */
type Props = { org: string; invitation: Invitation | null; onClose: () => void };

export function InvitationDialog({ org, invitation, onClose }: Props) {
  const [provider, setProvider] = useState<ProviderKey>("codehost");
  const [login, setLogin] = useState("");
  const [roles, setRoles] = useState<string[]>(invitation?.roles.map(({ id }) => id) ?? []);
  const [lifetime, setLifetime] = useState("");
  const save = useWrite(
    ({ provider_key, login: invited, ...rest }: Body, headers) =>
      invitation === null
        ? answerOf(
            api.POST("/api/v1/orgs/{org_id}/invitations", {
              params: { path: { org_id: org } },
              body: { provider_key, login: invited, ...rest },
              headers,
            }),
          )
        : answerOf(
            api.PUT("/api/v1/orgs/{org_id}/invitations/{invitation_id}", {
              params: { path: { org_id: org, invitation_id: invitation.id } },
              body: rest,
              headers,
            }),
          ),
    {
      changes: [peopleKey(org)],
      onDone: ({ login: who }) => {
        toast(invitation === null ? `${who} is invited` : "The invitation is changed");
        onClose();
      },
    },
  );
  const wrong = fieldErrors(save.error);
  return (
    <FormDialog
      title={invitation === null ? "Invite somebody" : `Invitation of ${invitation.login}`}
      submit={invitation === null ? "Invite" : "Save"}
      busy={save.isPending}
      error={save.error}
      onSubmit={() =>
        save.mutate({ provider_key: provider, login: login.trim(), role_ids: roles, ...(lifetime && { lifetime }) })
      }
      onClose={onClose}
    >
      {invitation === null && (
        <>
          <Field label="They sign in at" error={wrong.get("provider_key")}>
            <select value={provider} onChange={(event) => setProvider(event.target.value as ProviderKey)}>
              {PROVIDER_KEYS.map((key) => (
                <option key={key} value={key}>
                  {PROVIDERS[key]}
                </option>
              ))}
            </select>
          </Field>
          <Field
            label="Login or e-mail address"
            hint="As they are known there. Nothing is sent: tell them where to sign in."
            error={wrong.get("login")}
          >
            <input value={login} required spellCheck={false} onChange={(event) => setLogin(event.target.value)} />
          </Field>
        </>
      )}
      <RolePicker org={org} chosen={roles} onChange={setRoles} error={wrong.get("role_ids")} />
      <Lifetime label="Waits for" value={lifetime} onChange={setLifetime} error={wrong.get("lifetime")} />
    </FormDialog>
  );
}
