/** What the audit trail says about an integration with a code host: settings in clear, of its secrets only which ones changed. */
import { changedFields } from "../../people/audit/changedFields.ts";
import type { AuthConfig } from "./authConfig.ts";
import type { IntegrationRow } from "./schema.ts";

const SECRETS = ["private_key", "token", "webhook_secret"] as const;

/** Of one that came or went. */
export function integrationDetails(row: IntegrationRow) {
  const { name, urlPattern: url_pattern, priority, apiBaseUrl: api_base_url, authConfigSummary: auth } = row;
  return { name, url_pattern, priority, api_base_url, auth };
}

/** Of a replaced one: what it is now, its settings before and after where they differ, and which secrets are others. */
export function integrationChanges(
  before: IntegrationRow,
  after: IntegrationRow,
  authChanged: readonly string[],
): Record<string, unknown> {
  const [had, has] = [integrationDetails(before), integrationDetails(after)];
  const changed = changedFields(had, has, Object.keys(has));
  return { ...has, ...changed, ...(authChanged.length > 0 && { auth_changed: authChanged }) };
}

/** Secrets that came, went or are others; those that are there when what was before is not known. */
export function changedAuth(before: AuthConfig | null, after: AuthConfig): string[] {
  return SECRETS.filter((name) => before?.[name] !== after[name]);
}
