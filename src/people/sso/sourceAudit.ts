/** What the audit log says of a change to an identity source. */
import type { Subject } from "../../http/principal.ts";
import type { Queryable } from "../../platform/db/client.ts";
import { recordAudit } from "../audit/record.ts";
import type { SourceRow } from "./readSources.ts";

export async function auditSource(
  tx: Queryable,
  actor: Subject,
  action: "identity_source.create" | "identity_source.update" | "identity_source.delete",
  row: SourceRow,
  changes: Record<string, unknown> = {},
): Promise<void> {
  const details = { ...auditDetails(row), ...changes };
  await recordAudit(tx, { orgId: row.orgId, actor, action, resourceId: row.id, details });
}

export function auditDetails(row: SourceRow) {
  return {
    provider_key: row.providerKey,
    source_slug: row.sourceSlug,
    display_name: row.displayName,
    enabled: row.enabled,
    issuer: row.oidcIssuer,
    client_id: row.oidcClientId,
    groups_claim: row.oidcGroupsClaim,
    groups_scope: row.groupsScope,
  };
}
