import { useState } from "react";
import { answerOf } from "../../../../clients/api/client.ts";
import { api } from "../../data/api.ts";
import { peopleKey } from "../../data/people.ts";
import type { ServiceAccount } from "../../data/types.ts";
import { useWrite } from "../../data/write.ts";
import { toast } from "../../shell/announce.tsx";
import { Field } from "../../ui/Field.tsx";
import { FormDialog } from "../../ui/FormDialog.tsx";
import { fieldErrors } from "../../ui/fieldErrors.ts";
import { RolePicker } from "./RolePicker.tsx";

/** @param account null for a new one; one that is there is renamed, and its roles stand beside it */
type Props = { org: string; account: ServiceAccount | null; onClose: () => void; onMade?: (id: string) => void };

export function AccountDialog({ org, account, onClose, onMade }: Props) {
  const [name, setName] = useState(account?.name ?? "");
  const [roles, setRoles] = useState<string[]>([]);
  const save = useWrite(
    (body: { name: string; role_ids: string[] }, headers) =>
      account === null
        ? answerOf(
            api.POST("/api/v1/orgs/{org_id}/service-accounts", { params: { path: { org_id: org } }, body, headers }),
          )
        : answerOf(
            api.PATCH("/api/v1/orgs/{org_id}/service-accounts/{account_id}", {
              params: { path: { org_id: org, account_id: account.id } },
              body: { name: body.name },
              headers,
            }),
          ),
    {
      changes: [peopleKey(org)],
      onDone: ({ id }) => {
        toast(account === null ? "The service account is made" : "Renamed");
        onClose();
        onMade?.(id);
      },
    },
  );
  const wrong = fieldErrors(save.error);
  return (
    <FormDialog
      title={account === null ? "New service account" : `Rename ${account.name}`}
      submit={account === null ? "Make the account" : "Rename"}
      busy={save.isPending}
      error={save.error}
      onSubmit={() => save.mutate({ name: name.trim(), role_ids: roles })}
      onClose={onClose}
    >
      <Field label="Name" error={wrong.get("name")}>
        <input value={name} required maxLength={100} onChange={(event) => setName(event.target.value)} />
      </Field>
      {account === null && <RolePicker org={org} chosen={roles} onChange={setRoles} error={wrong.get("role_ids")} />}
    </FormDialog>
  );
}
