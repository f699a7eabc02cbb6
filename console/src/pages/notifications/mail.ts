/** To whom and through which server an integration mails, as a form holds it. Pure. */
import type { operations } from "../../../../clients/api/schema.d.ts";
import type { NotificationIntegration } from "../../data/types.ts";

type Body = operations["createNotificationIntegration"]["requestBody"]["content"]["application/json"];
type Mailing = Extract<Body, { provider_type: "email" }>;
type Security = "tls" | "starttls" | "none";

export type MailDraft = {
  recipients: string;
  /** Else through the service's server. */
  own: boolean;
  host: string;
  port: string;
  security: Security;
  username: string;
  password: string;
  from: string;
};

export function mailDraftOf(integration: NotificationIntegration | null): MailDraft {
  const smtp = integration?.auth_config_summary.smtp ?? null;
  return {
    recipients: (integration?.provider_config.recipients ?? []).join("\n"),
    own: smtp !== null,
    host: smtp?.host ?? "",
    port: String(smtp?.port ?? 587),
    security: smtp?.security ?? "starttls",
    username: smtp?.username ?? "",
    password: "",
    from: smtp?.from ?? "",
  };
}

/** A password that was not typed is not sent, so that what is stored stays with its account. */
export function mailingOf(draft: MailDraft): Pick<Mailing, "provider_config" | "auth_config"> {
  const { own, host, port, security, username, password, from } = draft;
  const recipients = draft.recipients.split(/[\s,;]+/).filter((address) => address !== "");
  const account = security === "none" || username === "" ? {} : { username, ...(password !== "" && { password }) };
  const smtp = own ? { host: host.trim(), port: Number(port), security, from: from.trim(), ...account } : null;
  return { provider_config: { recipients }, auth_config: { smtp } };
}
