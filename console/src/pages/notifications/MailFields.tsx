import type { NotificationIntegration } from "../../data/types.ts";
import { Check, Field } from "../../ui/Field.tsx";
import type { MailDraft } from "./mail.ts";

type Props = {
  draft: MailDraft;
  onChange: (change: Partial<MailDraft>) => void;
  /** Null for a new integration. */
  stored: NotificationIntegration["auth_config_summary"] | null;
  errors: ReadonlyMap<string, string>;
};

/** To whom, and through which server. The password is never shown again. */
export function MailFields({ draft, onChange, stored, errors }: Props) {
  return (
    <>
      <Field label="Recipients" hint="One address on a line, 20 at most." error={errors.get("provider_config")}>
        <textarea
          value={draft.recipients}
          required
          rows={3}
          spellCheck={false}
          onChange={(event) => onChange({ recipients: event.target.value })}
        />
      </Field>
      <Check
        label="Through a mail server of our own"
        hint="Else through the service's, to the domains that its operator opened."
        checked={draft.own}
        onChange={(own) => onChange({ own })}
      />
      {draft.own && <ServerFields {...{ draft, onChange, stored }} error={errors.get("auth_config")} />}
      {!draft.own && errors.get("auth_config") && <p role="alert">{errors.get("auth_config")}</p>}
    </>
  );
}

function ServerFields({ draft, onChange, stored, error }: Omit<Props, "errors"> & { error: string | undefined }) {
  const text = (name: "host" | "from" | "username") => ({
    value: draft[name],
    autoComplete: "off",
    spellCheck: false,
    onChange: (event: { target: { value: string } }) => onChange({ [name]: event.target.value }),
  });
  return (
    <>
      <Field label="Server" error={error}>
        <input {...text("host")} required maxLength={253} placeholder="smtp.example.com" />
      </Field>
      <Field label="Port">
        <input
          type="number"
          value={draft.port}
          required
          min={1}
          max={65_535}
          onChange={(event) => onChange({ port: event.target.value })}
        />
      </Field>
      <Field label="Protection">
        <select
          value={draft.security}
          onChange={(event) => onChange({ security: event.target.value as MailDraft["security"] })}
        >
          <option value="starttls">STARTTLS, or nothing is sent</option>
          <option value="tls">TLS</option>
          <option value="none">none, and no password</option>
        </select>
      </Field>
      <Field label="Sender">
        <input {...text("from")} type="email" required maxLength={254} />
      </Field>
      {draft.security !== "none" && (
        <>
          <Field label="User name" hint="Empty where the server asks for none.">
            <input {...text("username")} maxLength={500} />
          </Field>
          <Field
            label="Password"
            hint={
              stored?.has_secret ? "One is stored. It stays with its server and user name." : "Written and never read."
            }
          >
            <input
              type="password"
              value={draft.password}
              autoComplete="new-password"
              maxLength={500}
              onChange={(event) => onChange({ password: event.target.value })}
            />
          </Field>
        </>
      )}
    </>
  );
}
