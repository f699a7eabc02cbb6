import type { ScmIntegration } from "../../data/types.ts";
import { Copy } from "../../ui/Copy.tsx";
import { Facts } from "../../ui/Facts.tsx";
import { Notice } from "../../ui/Notice.tsx";
import { Time } from "../../ui/Time.tsx";
import { HealthBadge } from "./HealthBadge.tsx";
import { healthOf } from "./health.ts";
import { KINDS } from "./kinds.ts";
import css from "./Page.module.css";

type Auth = ScmIntegration["auth_config_summary"];

function authWords({ kind, app_id, installation_id, has_private_key, has_token }: Auth): string {
  if (kind === "app")
    return `app ${app_id}, installation ${installation_id}${has_private_key ? "" : ", without a key"}`;
  if (kind === "token") return has_token ? "a stored token" : "a token that is not there";
  return "none: public repositories only";
}

export function IntegrationFacts({ integration }: { integration: ScmIntegration }) {
  const { last_success_at, last_failure, auth_config_summary: auth, webhook_url, webhook_check } = integration;
  return (
    <>
      {last_failure && healthOf(integration).tone === "bad" && (
        <div className={css.notice}>
          <Notice tone="bad">
            The host did not answer as it should, <Time at={last_failure.at} />: {last_failure.reason}
          </Notice>
        </div>
      )}
      <Facts
        facts={[
          ["State", <HealthBadge key="state" integration={integration} />],
          ["Kind of host", KINDS[integration.host_kind].label],
          ["Answered last", last_success_at ? <Time key="success" at={last_success_at} /> : "never"],
          ["Repositories", <code key="pattern">{integration.url_pattern}</code>],
          ["Priority", integration.priority],
          [
            "Address of its API",
            integration.api_base_url ? <code key="api">{integration.api_base_url}</code> : "as usual",
          ],
          ["Other names", integration.host_names.length === 0 ? "none" : integration.host_names.join(", ")],
          ["Credentials", authWords(auth)],
          ["Webhook secret", auth.has_webhook_secret ? "stored" : "none: its deliveries are refused"],
          [
            "Webhook",
            webhook_check ? <WebhookWords key="webhook" check={webhook_check} /> : "not looked at: Test does",
          ],
          ...(integration.limitations.length > 0
            ? [["What it cannot do", integration.limitations.join(" ")] as [string, string]]
            : []),
          ["Changed", <Time key="changed" at={integration.updated_at} />],
        ]}
      />
      {webhook_url && (
        <div className={css.webhook}>
          <span className={css.term}>Address for webhooks</span>
          <span className={css.copied}>
            <code>{webhook_url}</code>
            <Copy text={webhook_url} what="address for webhooks" />
          </span>
        </div>
      )}
    </>
  );
}

const WEBHOOK: Readonly<Record<"complete" | "incomplete" | "absent" | "unknown", string>> = {
  complete: "delivers all that is needed",
  incomplete: "incomplete",
  absent: "none leads here",
  unknown: "not shown to these credentials",
};

type Finding = { state: keyof typeof WEBHOOK; missing: string[]; reason: string | null };

/** What the last test found of the host's webhook. */
export function WebhookWords({ check }: { check: Finding & { at?: string } }) {
  const { state, missing, reason, at } = check;
  return (
    <>
      {WEBHOOK[state]}
      {missing.length > 0 && `, missing: ${missing.join("; ")}`}
      {reason && ` (${reason})`}
      {at && (
        <>
          , <Time at={at} />
        </>
      )}
    </>
  );
}
