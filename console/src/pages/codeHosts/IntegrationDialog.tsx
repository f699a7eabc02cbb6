import { useState } from "react";
import { answerOf } from "../../../../clients/api/client.ts";
import { api } from "../../data/api.ts";
import { codeHostsKey } from "../../data/codeHosts.ts";
import type { ScmIntegration } from "../../data/types.ts";
import { useWrite } from "../../data/write.ts";
import { toast } from "../../shell/announce.tsx";
import { Field } from "../../ui/Field.tsx";
import { FormDialog } from "../../ui/FormDialog.tsx";
import { fieldErrors } from "../../ui/fieldErrors.ts";
import { CredentialFields } from "./CredentialFields.tsx";
import { type Body, bodyOf, type Draft, draftOf, type HostKind, ofKind } from "./draft.ts";
import { KIND_NAMES, KINDS } from "./kinds.ts";

type Props = {
  org: string;
  /** Null for a new one. */
  integration: ScmIntegration | null;
  onClose: () => void;
  onMade?: (id: string) => void;
};

export function IntegrationDialog({ org, integration, onClose, onMade }: Props) {
  const [draft, setDraft] = useState(() => draftOf(integration));
  const change = (next: Partial<Draft>) => setDraft((before) => ({ ...before, ...next }));
  const save = useWrite(
    (body: Body, headers) =>
      integration === null
        ? answerOf(
            api.POST("/api/v1/orgs/{org_id}/scm-integrations", { params: { path: { org_id: org } }, body, headers }),
          )
        : answerOf(
            api.PUT("/api/v1/orgs/{org_id}/scm-integrations/{integration_id}", {
              params: { path: { org_id: org, integration_id: integration.id } },
              body,
              headers,
            }),
          ),
    {
      changes: [codeHostsKey(org)],
      onDone: ({ id }) => {
        toast(integration === null ? "The integration is made" : "Saved");
        onClose();
        onMade?.(id);
      },
    },
  );
  const wrong = fieldErrors(save.error);
  const words = KINDS[draft.host_kind];
  const field = (name: "name" | "url_pattern" | "api_base_url" | "host_names", label: string, hint?: string) => (
    <Field label={label} hint={hint} error={wrong.get(name)}>
      <input
        value={draft[name]}
        required={name === "name" || name === "url_pattern"}
        spellCheck={false}
        onChange={(event) => change({ [name]: event.target.value })}
      />
    </Field>
  );
  return (
    <FormDialog
      title={integration === null ? "New integration" : `Settings of ${integration.name}`}
      submit={integration === null ? "Make the integration" : "Save"}
      busy={save.isPending}
      error={save.error}
      onSubmit={() => save.mutate(bodyOf(draft))}
      onClose={onClose}
    >
      {field("name", "Name")}
      <Field label="Kind of host" error={wrong.get("host_kind")}>
        <select value={draft.host_kind} onChange={(event) => change(ofKind(draft, event.target.value as HostKind))}>
          {KIND_NAMES.map((kind) => (
            <option key={kind} value={kind}>
              {KINDS[kind].label}
            </option>
          ))}
        </select>
      </Field>
      {field("url_pattern", "Repositories", `A regular expression over their addresses, as ${words.pattern}`)}
      <Field
        label="Priority"
        hint="Of several that fit the one with the lowest is taken."
        error={wrong.get("priority")}
      >
        <input
          type="number"
          required
          value={draft.priority}
          onChange={(event) => change({ priority: event.target.value })}
        />
      </Field>
      {field("api_base_url", "Address of its API", words.api)}
      {field("host_names", "Other names of the host", "As its own for SSH; commas between them.")}
      <CredentialFields
        draft={draft}
        onChange={change}
        stored={integration?.auth_config_summary ?? null}
        error={wrong.get("auth_config") ?? wrong.get("auth_config.kind")}
      />
    </FormDialog>
  );
}
