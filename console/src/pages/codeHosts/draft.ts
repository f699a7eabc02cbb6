/** Settings as a form holds them. Secrets that were not typed are not sent, so that they stay. Pure. */
import type { operations } from "../../../../clients/api/schema.d.ts";
import type { ScmIntegration } from "../../data/types.ts";

export type Body = operations["createScmIntegration"]["requestBody"]["content"]["application/json"];
export type Kind = ScmIntegration["auth_config_summary"]["kind"];

export type HostKind = ScmIntegration["host_kind"];

export type Draft = {
  name: string;
  host_kind: HostKind;
  url_pattern: string;
  priority: string;
  api_base_url: string;
  host_names: string;
  kind: Kind;
  app_id: string;
  installation_id: string;
  private_key: string;
  token: string;
  webhook_secret: string;
};

export function draftOf(integration: ScmIntegration | null): Draft {
  const auth = integration?.auth_config_summary;
  return {
    name: integration?.name ?? "",
    host_kind: integration?.host_kind ?? "github",
    url_pattern: integration?.url_pattern ?? "",
    priority: String(integration?.priority ?? 100),
    api_base_url: integration?.api_base_url ?? "",
    host_names: integration?.host_names.join(", ") ?? "",
    kind: auth?.kind ?? "app",
    app_id: auth?.app_id ?? "",
    installation_id: auth?.installation_id ?? "",
    ...{ private_key: "", token: "", webhook_secret: "" },
  };
}

/** What a form begins with when another kind is chosen: apps are GitHub's alone. */
export function ofKind(draft: Draft, host_kind: HostKind): Partial<Draft> {
  return { host_kind, ...(host_kind !== "github" && draft.kind === "app" && { kind: "token" as const }) };
}

export function bodyOf(draft: Draft): Body {
  const { kind, app_id, installation_id, private_key, token, webhook_secret } = draft;
  const typed = {
    ...(kind === "app" && { app_id, installation_id, private_key }),
    ...(kind === "token" && { token: token.trim() }),
    webhook_secret,
  };
  return {
    name: draft.name.trim(),
    host_kind: draft.host_kind,
    url_pattern: draft.url_pattern.trim(),
    priority: Number(draft.priority),
    api_base_url: draft.api_base_url.trim() || null,
    host_names: draft.host_names.split(/[\s,]+/).filter((name) => name !== ""),
    auth_config: { kind, ...Object.fromEntries(Object.entries(typed).filter(([, value]) => value !== "")) },
  };
}
