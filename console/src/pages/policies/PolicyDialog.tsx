import { useState } from "react";
import { answerOf } from "../../../../clients/api/client.ts";
import { api } from "../../data/api.ts";
import { policiesKey } from "../../data/policies.ts";
import type { Policy } from "../../data/types.ts";
import { useWrite } from "../../data/write.ts";
import { toast } from "../../shell/announce.tsx";
import { Field } from "../../ui/Field.tsx";
import { FormDialog } from "../../ui/FormDialog.tsx";
import { fieldErrors } from "../../ui/fieldErrors.ts";
import { labelLines, readLabels } from "../../ui/labelText.ts";

type Props = {
  org: string;
  /** Null for a new one. */
  policy: Policy | null;
  onClose: () => void;
  onMade?: (id: string) => void;
};

type Settings = Pick<Policy, "name" | "enforcement" | "selector" | "version">;

export function PolicyDialog({ org, policy, onClose, onMade }: Props) {
  const [name, setName] = useState(policy?.name ?? "");
  const [enforcement, setEnforcement] = useState<Policy["enforcement"]>(policy?.enforcement ?? "shadow");
  const [selector, setSelector] = useState(labelLines(policy?.selector ?? {}));
  const [version, setVersion] = useState(policy?.version ?? null);
  const save = useWrite(
    ({ version: counts, ...settings }: Settings, headers) =>
      policy === null
        ? answerOf(
            api.POST("/api/v1/orgs/{org_id}/policies", { params: { path: { org_id: org } }, body: settings, headers }),
          )
        : answerOf(
            api.PUT("/api/v1/orgs/{org_id}/policies/{policy_id}", {
              params: { path: { org_id: org, policy_id: policy.id } },
              body: { ...settings, version: counts, description: policy.description, modes: policy.modes },
              headers,
            }),
          ),
    {
      changes: [policiesKey(org)],
      onDone: ({ id }) => {
        toast(policy === null ? "The policy is made; no version counts yet" : "Saved: the next plan is looked at so");
        onClose();
        onMade?.(id);
      },
    },
  );
  const wrong = fieldErrors(save.error);
  return (
    <FormDialog
      title={policy === null ? "New policy" : `Policy ${policy.name}`}
      submit={policy === null ? "Make the policy" : "Save"}
      busy={save.isPending}
      error={save.error}
      onSubmit={() => save.mutate({ name: name.trim(), enforcement, selector: readLabels(selector), version })}
      onClose={onClose}
    >
      <Field label="Name" error={wrong.get("name")}>
        <input value={name} required maxLength={100} onChange={(event) => setName(event.target.value)} />
      </Field>
      <Field label="What it says" error={wrong.get("enforcement")}>
        <select value={enforcement} onChange={(event) => setEnforcement(event.target.value as Policy["enforcement"])}>
          <option value="shadow">is written down only (shadow)</option>
          <option value="advisory">is shown, and stops automatic approval (advisory)</option>
          <option value="mandatory">has to be met (mandatory)</option>
        </select>
      </Field>
      <Field
        label="Labels that a stack must have"
        hint="One key=value on a line. Empty for every stack."
        error={wrong.get("selector")}
      >
        <textarea value={selector} rows={2} spellCheck={false} onChange={(event) => setSelector(event.target.value)} />
      </Field>
      {policy !== null && (
        <Field label="Version that counts" error={wrong.get("version")}>
          <select
            value={version ?? ""}
            onChange={(event) => setVersion(event.target.value === "" ? null : Number(event.target.value))}
          >
            <option value="">none</option>
            {Array.from({ length: policy.last_version }, (_, at) => policy.last_version - at).map((each) => (
              <option key={each} value={each}>
                {each}
              </option>
            ))}
          </select>
        </Field>
      )}
    </FormDialog>
  );
}
