import { useState } from "react";
import { answerOf } from "../../../../clients/api/client.ts";
import type { operations } from "../../../../clients/api/schema.d.ts";
import { api } from "../../data/api.ts";
import { notificationsKey } from "../../data/notifications.ts";
import type { NotificationEvent, NotificationIntegration } from "../../data/types.ts";
import { useWrite } from "../../data/write.ts";
import { toast } from "../../shell/announce.tsx";
import { Check, Field } from "../../ui/Field.tsx";
import { FormDialog } from "../../ui/FormDialog.tsx";
import { fieldErrors } from "../../ui/fieldErrors.ts";
import { labelLines, readLabels } from "../../ui/labelText.ts";
import { EVENT_TYPES, EVENTS } from "./events.ts";
import { FORM_NAMES, FORMS, type Form } from "./forms.ts";
import { MailFields } from "./MailFields.tsx";
import { mailDraftOf, mailingOf } from "./mail.ts";
import css from "./Page.module.css";
import { TargetFields } from "./TargetFields.tsx";
import { type TargetDraft, targetOf } from "./target.ts";

type Body = operations["createNotificationIntegration"]["requestBody"]["content"]["application/json"];
type Props = {
  org: string;
  /** Null for a new one. */
  integration: NotificationIntegration | null;
  onClose: () => void;
  onMade?: (id: string) => void;
};

const USUAL: NotificationEvent[] = ["deployment_waiting_for_confirmation", "deployment_failed", "run_failed_to_start"];

export function IntegrationDialog({ org, integration, onClose, onMade }: Props) {
  const [name, setName] = useState(integration?.name ?? "");
  const [form, setForm] = useState<Form>(integration?.provider_type ?? "slack");
  const [enabled, setEnabled] = useState(integration?.enabled ?? true);
  const [changesOnly, setChangesOnly] = useState(integration?.changes_only ?? false);
  const [events, setEvents] = useState<readonly NotificationEvent[]>(integration?.events ?? USUAL);
  const [selector, setSelector] = useState(labelLines(integration?.stack_label_selector ?? {}));
  const [mail, setMail] = useState(mailDraftOf(integration));
  const [target, setTarget] = useState<TargetDraft>({ url: "", secret: "", headers: "" });
  const save = useWrite(
    (body: Body, headers) =>
      integration === null
        ? answerOf(
            api.POST("/api/v1/orgs/{org_id}/notification-integrations", {
              params: { path: { org_id: org } },
              body,
              headers,
            }),
          )
        : answerOf(
            api.PUT("/api/v1/orgs/{org_id}/notification-integrations/{notification_integration_id}", {
              params: { path: { org_id: org, notification_integration_id: integration.id } },
              body,
              headers,
            }),
          ),
    {
      changes: [notificationsKey(org)],
      onDone: ({ id }) => {
        toast(integration === null ? "The integration is made" : "Saved");
        onClose();
        onMade?.(id);
      },
    },
  );
  const wrong = fieldErrors(save.error);
  const submit = () => {
    const common = {
      ...{ name: name.trim(), enabled, changes_only: changesOnly, events: [...events] },
      stack_label_selector: readLabels(selector),
    };
    if (form === "email") return save.mutate({ ...common, provider_type: form, ...mailingOf(mail) });
    const auth = targetOf(target);
    save.mutate({ ...common, provider_type: form, ...(auth && { auth_config: auth }) });
  };
  // An e-mail stays one, and nothing else becomes one.
  const forms = FORM_NAMES.filter((one) => integration === null || (one === "email") === (form === "email"));
  return (
    <FormDialog
      title={integration === null ? "New integration" : `Settings of ${integration.name}`}
      submit={integration === null ? "Make the integration" : "Save"}
      busy={save.isPending}
      error={save.error}
      onSubmit={submit}
      onClose={onClose}
      wide
    >
      <Field label="Name" error={wrong.get("name")}>
        <input value={name} required maxLength={100} onChange={(event) => setName(event.target.value)} />
      </Field>
      <Field label="Form" error={wrong.get("provider_type")}>
        <select value={form} onChange={(event) => setForm(event.target.value as typeof form)}>
          {forms.map((one) => (
            <option key={one} value={one}>
              {FORMS[one].label}
            </option>
          ))}
        </select>
      </Field>
      {form === "email" ? (
        <MailFields
          draft={mail}
          onChange={(change) => setMail((before) => ({ ...before, ...change }))}
          stored={integration?.auth_config_summary ?? null}
          errors={wrong}
        />
      ) : (
        <TargetFields
          draft={target}
          onChange={(change) => setTarget((before) => ({ ...before, ...change }))}
          stored={integration?.auth_config_summary ?? null}
          error={wrong.get("auth_config")}
        />
      )}
      <fieldset className={css.choices}>
        <legend>Events</legend>
        {EVENT_TYPES.map((event) => (
          <Check
            key={event}
            label={EVENTS[event]}
            checked={events.includes(event)}
            onChange={(ticked) => setEvents(ticked ? [...events, event] : events.filter((each) => each !== event))}
          />
        ))}
      </fieldset>
      <Field
        label="Labels that a stack must have"
        hint="One key=value on a line. Empty for all stacks."
        error={wrong.get("stack_label_selector")}
      >
        <textarea value={selector} rows={2} spellCheck={false} onChange={(event) => setSelector(event.target.value)} />
      </Field>
      <Check label="Not for plans without changes" checked={changesOnly} onChange={setChangesOnly} />
      <Check label="Enabled" hint="Disabling it gives up what is on the way." checked={enabled} onChange={setEnabled} />
    </FormDialog>
  );
}
