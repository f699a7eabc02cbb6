import { useState } from "react";
import { answerOf } from "../../../../clients/api/client.ts";
import type { operations } from "../../../../clients/api/schema.d.ts";
import { api } from "../../data/api.ts";
import { peopleKey } from "../../data/people.ts";
import type { Permission, Role } from "../../data/types.ts";
import { useWrite } from "../../data/write.ts";
import { toast } from "../../shell/announce.tsx";
import { Field } from "../../ui/Field.tsx";
import { FormDialog } from "../../ui/FormDialog.tsx";
import { fieldErrors } from "../../ui/fieldErrors.ts";
import { GrantsEditor } from "./GrantsEditor.tsx";

type Body = operations["createRole"]["requestBody"]["content"]["application/json"];
type Props = {
  org: string;
  /** Null for a new one. */
  existing: Role | null;
  onClose: () => void;
  onMade?: (id: string) => void;
};

const FIRST: Permission = { resource_type: "stack", action: "read", resource_pattern: null, authz_group: null };

export function RoleDialog({ org, existing: role, onClose, onMade }: Props) {
  const [name, setName] = useState(role?.name ?? "");
  const [permissions, setPermissions] = useState<readonly Permission[]>(role?.permissions ?? [FIRST]);
  const save = useWrite(
    (body: Body, headers) =>
      role === null
        ? answerOf(api.POST("/api/v1/orgs/{org_id}/roles", { params: { path: { org_id: org } }, body, headers }))
        : answerOf(
            api.PUT("/api/v1/orgs/{org_id}/roles/{role_id}", {
              params: { path: { org_id: org, role_id: role.id } },
              body,
              headers,
            }),
          ),
    {
      changes: [peopleKey(org)],
      onDone: ({ id }) => {
        toast(role === null ? "The role is made" : "The role is changed for all who have it");
        onClose();
        onMade?.(id);
      },
    },
  );
  const wrong = fieldErrors(save.error);
  return (
    <FormDialog
      title={role === null ? "New role" : `Role ${role.name}`}
      submit={role === null ? "Make the role" : "Save for all who have it"}
      busy={save.isPending}
      error={save.error}
      onSubmit={() => save.mutate({ name: name.trim(), permissions } as unknown as Body)}
      onClose={onClose}
      wide
    >
      <Field label="Name" error={wrong.get("name")}>
        <input value={name} required maxLength={100} onChange={(event) => setName(event.target.value)} />
      </Field>
      <GrantsEditor org={org} permissions={permissions} onChange={setPermissions} />
    </FormDialog>
  );
}
