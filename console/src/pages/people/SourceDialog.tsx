import { useState } from "react";
import { answerOf } from "../../../../clients/api/client.ts";
import type { operations } from "../../../../clients/api/schema.d.ts";
import { api } from "../../data/api.ts";
import { sourcesKey } from "../../data/signInSources.ts";
import type { IdentitySource } from "../../data/types.ts";
import { useWrite } from "../../data/write.ts";
import { toast } from "../../shell/announce.tsx";
import { Check, Field } from "../../ui/Field.tsx";
import { FormDialog } from "../../ui/FormDialog.tsx";
import { fieldErrors } from "../../ui/fieldErrors.ts";
import { PROVIDER_KEYS, PROVIDERS, type ProviderKey } from "./providers.ts";

type Settings = operations["replaceIdentitySource"]["requestBody"]["content"]["application/json"];
type Body = { provider_key: ProviderKey; source_slug: string; settings: Settings };
type Props = {
  org: string;
  /** Null for a new one. */
  source: IdentitySource | null;
  onClose: () => void;
  onMade?: (id: string) => void;
};

export function SourceDialog({ org, source, onClose, onMade }: Props) {
  const [provider, setProvider] = useState((source?.provider_key ?? "oidc") as ProviderKey);
  const [slug, setSlug] = useState("");
  const [text, setText] = useState({
    display_name: source?.display_name ?? "",
    oidc_issuer: source?.oidc_issuer ?? "",
    oidc_client_id: source?.oidc_client_id ?? "",
    oidc_groups_claim: source?.oidc_groups_claim ?? "",
    groups_scope: source?.groups_scope ?? "",
    client_secret: "",
  });
  const [enabled, setEnabled] = useState(source?.enabled ?? true);
  const save = useWrite(
    ({ provider_key, source_slug, settings }: Body, headers) =>
      source === null
        ? answerOf(
            api.POST("/api/v1/orgs/{org_id}/identity-sources", {
              params: { path: { org_id: org } },
              body: { provider_key, source_slug, ...settings },
              headers,
            }),
          )
        : answerOf(
            api.PUT("/api/v1/orgs/{org_id}/identity-sources/{source_id}", {
              params: { path: { org_id: org, source_id: source.id } },
              body: settings,
              headers,
            }),
          ),
    {
      changes: [sourcesKey(org)],
      onDone: ({ id }) => {
        toast(source === null ? "The source is made" : "Saved");
        onClose();
        onMade?.(id);
      },
    },
  );
  const wrong = fieldErrors(save.error);
  const field = (name: keyof typeof text, label: string, hint?: string, required = false) => (
    <Field label={label} hint={hint} error={wrong.get(name)}>
      <input
        value={text[name]}
        type={name === "client_secret" ? "password" : "text"}
        autoComplete="off"
        required={required}
        spellCheck={false}
        onChange={(event) => setText((before) => ({ ...before, [name]: event.target.value }))}
      />
    </Field>
  );
  const submit = () => {
    const { display_name, ...rest } = text;
    const own = provider === "oidc" ? Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== "")) : {};
    save.mutate({
      provider_key: provider,
      source_slug: slug.trim(),
      settings: { display_name: display_name.trim(), enabled, ...own },
    });
  };
  return (
    <FormDialog
      title={source === null ? "New sign-in source" : `Settings of ${source.display_name}`}
      submit={source === null ? "Make the source" : "Save"}
      busy={save.isPending}
      error={save.error}
      onSubmit={submit}
      onClose={onClose}
    >
      {source === null && (
        <>
          <Field label="People sign in at" error={wrong.get("provider_key")}>
            <select value={provider} onChange={(event) => setProvider(event.target.value as ProviderKey)}>
              {PROVIDER_KEYS.map((key) => (
                <option key={key} value={key}>
                  {PROVIDERS[key]}
                </option>
              ))}
            </select>
          </Field>
          <Field label="Short name" hint="Part of its address: a-z, 0-9, -." error={wrong.get("source_slug")}>
            <input
              value={slug}
              required
              pattern="[a-z0-9][a-z0-9\-]{0,62}"
              spellCheck={false}
              onChange={(event) => setSlug(event.target.value)}
            />
          </Field>
        </>
      )}
      {field("display_name", "Name", "What people read on the button.", true)}
      {provider === "oidc" && (
        <>
          {field("oidc_issuer", "Issuer", "Asked for its configuration before anything is stored.", true)}
          {field("oidc_client_id", "Client id", undefined, true)}
          {field(
            "client_secret",
            "Client secret",
            source?.has_client_secret
              ? "One is stored. Left empty it stays, unless the issuer changes."
              : "Can be written and never read.",
          )}
          {field("oidc_groups_claim", "Claim with groups", "In the token; groups when left empty.")}
          {field("groups_scope", "Scope for groups", "Asked for beside the usual ones.")}
        </>
      )}
      <Check
        label="Enabled"
        hint="What a disabled source confers ends at once."
        checked={enabled}
        onChange={setEnabled}
      />
    </FormDialog>
  );
}
