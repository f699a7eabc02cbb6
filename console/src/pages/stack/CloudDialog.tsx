import { Plus } from "lucide-react";
import { useState } from "react";
import { answerOf } from "../../../../clients/api/client.ts";
import { api } from "../../data/api.ts";
import { cloudKey } from "../../data/cloud.ts";
import type { CloudIntegration, Stack } from "../../data/types.ts";
import { useWrite } from "../../data/write.ts";
import { toast } from "../../shell/announce.tsx";
import { Button } from "../../ui/Button.tsx";
import { Check, Field } from "../../ui/Field.tsx";
import { FormDialog } from "../../ui/FormDialog.tsx";
import { fieldErrors } from "../../ui/fieldErrors.ts";
import css from "./CloudDialog.module.css";
import { CLOUDS, type CloudProvider, cloudConfigOf, cloudDraftOf, NEW_ROLE, type RoleDraft } from "./cloudDraft.ts";

type Props = { stack: Stack; provider: CloudProvider; integration: CloudIntegration | undefined; onClose: () => void };

export function CloudDialog({ stack, provider, integration, onClose }: Props) {
  const { org_id: org, id } = stack;
  const [draft, setDraft] = useState(() => cloudDraftOf(integration));
  const save = useWrite(
    (config: Record<string, unknown>, headers) =>
      answerOf(
        api.PUT("/api/v1/orgs/{org_id}/stacks/{stack_id}/cloud-integrations/{provider_type}", {
          params: { path: { org_id: org, stack_id: id, provider_type: provider } },
          body: { provider_type: provider, config },
          headers,
        }),
      ),
    {
      changes: [cloudKey(org, id)],
      onDone: () => {
        toast("Runs that begin from now on get credentials of it");
        onClose();
      },
    },
  );
  const replace = (at: number, change: Partial<RoleDraft>) =>
    setDraft((now) => ({
      ...now,
      roles: now.roles.map((role, index) => (index === at ? { ...role, ...change } : role)),
    }));
  const remove = (at: number) => setDraft((now) => ({ ...now, roles: now.roles.filter((_, index) => index !== at) }));
  return (
    <FormDialog
      title={`${CLOUDS[provider]} of ${stack.name}`}
      submit="Save"
      busy={save.isPending}
      error={save.error}
      onSubmit={() => save.mutate(cloudConfigOf(provider, draft))}
      onClose={onClose}
      wide
    >
      {provider === "cloud_b" ? (
        <Field
          label="Service account"
          hint="Its e-mail address. The service's own identity has to be its token creator."
          error={fieldErrors(save.error).get("config")}
        >
          <input
            type="email"
            required
            value={draft.service_account_email}
            onChange={(event) => setDraft((now) => ({ ...now, service_account_email: event.target.value }))}
          />
        </Field>
      ) : (
        <>
          <p>
            Each role trusts the service's identity with the external id <code>{`${org}:${id}`}</code>. A role without
            that condition is refused.
          </p>
          {draft.roles.map((role, index) => (
            <Role
              // biome-ignore lint/suspicious/noArrayIndexKey: nothing else tells roles apart, and they keep their order
              key={index}
              role={role}
              onChange={(change) => replace(index, change)}
              onRemove={() => remove(index)}
            />
          ))}
          <span className={css.start}>
            <Button
              small
              icon={<Plus size={14} aria-hidden />}
              onClick={() => setDraft((now) => ({ ...now, roles: [...now.roles, { ...NEW_ROLE, name: "" }] }))}
            >
              Another role
            </Button>
          </span>
        </>
      )}
    </FormDialog>
  );
}

type RoleProps = { role: RoleDraft; onChange: (change: Partial<RoleDraft>) => void; onRemove: () => void };

function Role({ role, onChange, onRemove }: RoleProps) {
  return (
    <fieldset className={css.role}>
      <legend>Role {role.name}</legend>
      <Field label="Name" hint="The profile; default serves a provider that names none.">
        <input value={role.name} required spellCheck={false} onChange={(e) => onChange({ name: e.target.value })} />
      </Field>
      <Field label="ARN">
        <input
          value={role.role_arn}
          required
          spellCheck={false}
          placeholder="arn:aws:iam::123456789012:role/deploy"
          onChange={(e) => onChange({ role_arn: e.target.value })}
        />
      </Field>
      <Field label="Policy that narrows it" hint="JSON; can be empty.">
        <textarea
          value={role.inline_policy}
          rows={2}
          spellCheck={false}
          onChange={(e) => onChange({ inline_policy: e.target.value })}
        />
      </Field>
      <Check
        label="In previews too"
        hint="Code of a pull request runs with it."
        checked={role.use_in_previews}
        onChange={(use_in_previews) => onChange({ use_in_previews })}
      />
      <span className={css.start}>
        <Button small onClick={onRemove}>
          Remove the role
        </Button>
      </span>
    </fieldset>
  );
}
