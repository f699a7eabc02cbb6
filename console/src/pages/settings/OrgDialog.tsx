import { useState } from "react";
import { answerOf } from "../../../../clients/api/client.ts";
import type { operations } from "../../../../clients/api/schema.d.ts";
import { api } from "../../data/api.ts";
import { keys } from "../../data/keys.ts";
import type { Organization, RunnerGroup } from "../../data/types.ts";
import { useWrite } from "../../data/write.ts";
import { toast } from "../../shell/announce.tsx";
import { Field } from "../../ui/Field.tsx";
import { FormDialog } from "../../ui/FormDialog.tsx";
import { fieldErrors } from "../../ui/fieldErrors.ts";

type Body = NonNullable<operations["changeOrganization"]["requestBody"]>["content"]["application/json"];
type Props = {
  organization: Organization;
  groups: readonly RunnerGroup[];
  /** Limits are theirs to change. */
  isSuperAdmin: boolean;
  onClose: () => void;
};

export function OrgDialog({ organization, groups, isSuperAdmin, onClose }: Props) {
  const [name, setName] = useState(organization.name);
  const [handle, setHandle] = useState(organization.login_handle ?? "");
  const [group, setGroup] = useState(organization.default_runner_group_id ?? "");
  const [members, setMembers] = useState(String(organization.max_users));
  const [runs, setRuns] = useState(String(organization.runs_per_hour_limit));
  const save = useWrite(
    (body: Body, headers) =>
      answerOf(api.PATCH("/api/v1/orgs/{org_id}", { params: { path: { org_id: organization.id } }, body, headers })),
    {
      changes: [keys.orgs],
      onDone: () => {
        toast("Saved");
        onClose();
      },
    },
  );
  const wrong = fieldErrors(save.error);
  const changed: Body = {
    ...(name.trim() !== organization.name && { name: name.trim() }),
    ...(handle.trim() !== (organization.login_handle ?? "") && { login_handle: handle.trim() || null }),
    ...(group !== (organization.default_runner_group_id ?? "") && { default_runner_group_id: group || null }),
    ...(Number(members) !== organization.max_users && { max_users: Number(members) }),
    ...(Number(runs) !== organization.runs_per_hour_limit && { runs_per_hour_limit: Number(runs) }),
  };
  return (
    <FormDialog
      title="Organization"
      submit="Save"
      busy={save.isPending}
      error={save.error}
      onSubmit={() => save.mutate(changed)}
      onClose={onClose}
      disabled={Object.keys(changed).length === 0}
    >
      <Field label="Name" error={wrong.get("name")}>
        <input value={name} required maxLength={100} onChange={(event) => setName(event.target.value)} />
      </Field>
      <Field label="Handle" hint="What its people type to sign in here: a-z, 0-9, -." error={wrong.get("login_handle")}>
        <input
          value={handle}
          pattern="[a-z0-9][a-z0-9\-]{1,62}"
          spellCheck={false}
          onChange={(event) => setHandle(event.target.value)}
        />
      </Field>
      <Field
        label="Default runner group"
        hint="Runs the stacks whose labels ask for none."
        error={wrong.get("default_runner_group_id")}
      >
        <select value={group} onChange={(event) => setGroup(event.target.value)}>
          <option value="">none</option>
          {groups.map(({ id, name: label }) => (
            <option key={id} value={id}>
              {label}
            </option>
          ))}
        </select>
      </Field>
      {isSuperAdmin && (
        <>
          <Field label="Members at most" error={wrong.get("max_users")}>
            <input
              type="number"
              min={1}
              required
              value={members}
              onChange={(event) => setMembers(event.target.value)}
            />
          </Field>
          <Field label="Runs per hour" error={wrong.get("runs_per_hour_limit")}>
            <input type="number" min={0} required value={runs} onChange={(event) => setRuns(event.target.value)} />
          </Field>
        </>
      )}
    </FormDialog>
  );
}
