/** What the audit trail says about a notification integration: settings in clear, of its secrets only which ones changed. */
import { changedFields } from "../../people/audit/changedFields.ts";
import { type AuthConfig, originOf } from "./authConfig.ts";
import type { NotificationIntegrationRow } from "./schema.ts";

/** Of one that came or went. */
export function integrationDetails(row: NotificationIntegrationRow) {
  const { name, providerType: provider_type, enabled, events, changesOnly: changes_only } = row;
  const { stackLabelSelector: stack_label_selector, authConfigSummary: auth } = row;
  return { name, provider_type, enabled, events, changes_only, stack_label_selector, auth };
}

/** Of a replaced one: what it is now, its settings before and after where they differ, and which secrets are others. */
export function integrationChanges(
  before: NotificationIntegrationRow,
  after: NotificationIntegrationRow,
  authChanged: readonly AuthPart[],
): Record<string, unknown> {
  const [had, has] = [integrationDetails(before), integrationDetails(after)];
  const changed = changedFields(had, has, Object.keys(has));
  return { ...has, ...changed, ...(authChanged.length > 0 && { auth_changed: authChanged }) };
}

export type AuthPart = "host" | "url" | "secret" | "headers";

/** Which parts are others; `host` besides `url` when it leads to another scheme, host or port. Null: what was there is not known. */
export function changedAuth(before: AuthConfig | null, after: AuthConfig): AuthPart[] {
  const parts: [AuthPart, (auth: AuthConfig) => unknown][] = [
    ["host", ({ url }) => originOf(url)],
    ["url", ({ url }) => url],
    ["secret", ({ secret }) => secret],
    ["headers", ({ headers = {} }) => Object.entries(headers).sort()],
  ];
  const same = (part: (auth: AuthConfig) => unknown) =>
    before !== null && JSON.stringify(part(before)) === JSON.stringify(part(after));
  return parts.filter(([, part]) => !same(part)).map(([name]) => name);
}
