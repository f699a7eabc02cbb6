/**
 * Who signed in and what was refused, in the installation's trail; of an organization's own provider in that
 * organization's as well (docs/rules/organizations.md#the-audit-trail).
 */
import { sql } from "drizzle-orm";
import type { Queryable } from "../../platform/db/client.ts";
import { ProblemError } from "../../platform/problems/problem.ts";
import { type AuditEntry, recordAudits } from "../audit/record.ts";
import type { ProviderKey, SignedIn } from "./provider.ts";
import type { Begun } from "./signInState.ts";

export async function auditSignIn(
  tx: Queryable,
  userId: string,
  { identity }: SignedIn,
  sourceId: string | null,
): Promise<void> {
  const actor = { id: userId, kind: "user" } as const;
  const details = { issuer: identity.issuer, ...place(identity.providerKey, sourceId) };
  await record(tx, sourceId, { actor, action: "user.sign_in", resourceId: userId, details });
}

/** Only what a provider's answer was refused for: anybody can call the callback with nothing. */
export async function auditRefusal(
  db: Queryable,
  { providerKey, sourceId, link }: Begun,
  error: unknown,
): Promise<void> {
  if (!(error instanceof ProblemError) || error.status >= 500) return;
  // Who was signed in where it was to link something; else nobody is known.
  const actor = link === null ? null : ({ id: link.userId, kind: "user" } as const);
  const details = { ...place(providerKey, sourceId), reason: error.detail };
  await record(db, sourceId, { actor, action: "user.sign_in_refused", details });
}

function place(providerKey: ProviderKey, sourceId: string | null) {
  return { provider_key: providerKey, ...(sourceId !== null && { identity_source_id: sourceId }) };
}

async function record(db: Queryable, sourceId: string | null, entry: Omit<AuditEntry, "orgId">): Promise<void> {
  const owners =
    sourceId === null
      ? []
      : await db.execute<{ org_id: string }>(sql`select org_id from identity_sources where id = ${sourceId}::uuid`);
  await recordAudits(
    db,
    [null, ...owners.map(({ org_id }) => org_id)].map((orgId) => ({ ...entry, orgId })),
  );
}
