/** Changing identity sources of an organization. Their secrets are write-only and sealed. */
import { and, eq, sql } from "drizzle-orm";
import { v7 as uuidv7 } from "uuid";
import type { Subject } from "../../http/principal.ts";
import type { Keyring } from "../../platform/crypto/keyring.ts";
import type { Db, Tx } from "../../platform/db/client.ts";
import { ProblemError } from "../../platform/problems/problem.ts";
import { requireRow, requireUuids } from "../../platform/problems/requireRow.ts";
import { uniqueRow } from "../../platform/problems/uniqueRow.ts";
import { inTransaction } from "../../work/unitOfWork.ts";
import { changedFields } from "../audit/changedFields.ts";
import { requireOrg } from "../authorization/authorize.ts";
import { assertCoversSource } from "../roles/coverage.ts";
import { keepingAnAdmin } from "../roles/lastAdmin.ts";
import type { Discovery } from "./discovery.ts";
import { loadSource, type SourceRow, sourceAnswer } from "./readSources.ts";
import { identitySources as t } from "./schema.ts";
import { auditDetails, auditSource } from "./sourceAudit.ts";
import { checkedSettings, type OidcSettings } from "./sourceChecks.ts";
import type { NewSource, SourceAnswer, SourceSettings } from "./sourceFields.ts";
import { secretPlace } from "./sourceSecret.ts";
import { assertMayTrust, assertSecretStaysHome, confersAnew } from "./sourceTrust.ts";

export type SourceDeps = { db: Db; keyring: Keyring; discovery: Discovery };

class SourceTakenError extends ProblemError {
  constructor() {
    const detail = "This organization already has a source of that slug, or of that platform-wide provider.";
    super({ status: 409, code: "conflict", detail });
  }
}

class SourceChangedError extends ProblemError {
  constructor() {
    const detail = "The source was changed by somebody else at this moment; look at it and send your change again.";
    super({ status: 409, code: "conflict", detail });
  }
}

const MANAGE = { type: "identity_source", action: "manage" } as const;

/**
 * Needs (identity_source, manage), for an OIDC issuer also every permission that waiting invitations for `oidc` confer.
 * The issuer is asked before anything is stored.
 * @throws ForbiddenError, InvalidValueError, SourceTakenError
 */
export async function createSource(
  { db, keyring, discovery }: SourceDeps,
  subject: Subject,
  orgId: string,
  { provider_key, source_slug, ...settings }: NewSource,
): Promise<SourceAnswer> {
  await requireOrg(db, subject, orgId, MANAGE);
  await assertFree(db, orgId, source_slug);
  const oidc = await checkedSettings(discovery, orgId, provider_key, settings);
  const id = uuidv7();
  const secret = await sealed(keyring, id, settings.client_secret);
  return uniqueRow(SourceTakenError, () =>
    inTransaction(db, async (tx) => {
      await assertMayTrust(tx, subject, orgId, null, { ...oidc, enabled: settings.enabled });
      const [row] = await tx
        .insert(t)
        .values({
          id,
          orgId,
          providerKey: provider_key,
          sourceSlug: source_slug,
          ...columns(settings, oidc),
          clientSecret: secret ?? null,
        })
        .returning();
      await auditSource(tx, subject, "identity_source.create", row!);
      return sourceAnswer(row!);
    }),
  );
}

/** Looked at before the issuer is asked; the index decides. @throws SourceTakenError */
async function assertFree(db: Db, orgId: string, slug: string): Promise<void> {
  const rows = await db
    .select({ id: t.id })
    .from(t)
    .where(and(eq(t.orgId, orgId), eq(t.sourceSlug, slug)));
  if (rows.length > 0) throw new SourceTakenError();
}

/**
 * Needs (identity_source, manage); for a change by which the source's bindings may confer anew, also every permission
 * they confer, and for another issuer every permission that waiting invitations for `oidc` confer. An absent secret
 * stays.
 * @throws ForbiddenError, NotFoundError, SourceChangedError, InvalidValueError, LastAdminError
 */
export async function replaceSource(
  { db, keyring, discovery }: SourceDeps,
  subject: Subject,
  orgId: string,
  sourceId: string,
  settings: SourceSettings,
): Promise<SourceAnswer> {
  const { superAdmin } = await requireOrg(db, subject, orgId, MANAGE);
  const before = await loadSource(db, orgId, sourceId);
  const oidc = await checkedSettings(discovery, orgId, before.providerKey, settings);
  assertSecretStaysHome(before, oidc, settings);
  const secret = await sealed(keyring, sourceId, settings.client_secret);
  return inTransaction(db, (tx) =>
    keepingAnAdmin(tx, { orgId, superAdmin }, async () => {
      if (confersAnew(before, { ...oidc, enabled: settings.enabled }))
        await assertCoversSource(tx, subject, orgId, sourceId);
      await assertMayTrust(tx, subject, orgId, before, { ...oidc, enabled: settings.enabled });
      await assertUnchanged(tx, before);
      const rows = await tx
        .update(t)
        .set({
          ...columns(settings, oidc),
          ...(secret === undefined ? {} : { clientSecret: secret }),
          updatedAt: sql`svc_now()`,
        })
        .where(and(eq(t.id, sourceId), eq(t.orgId, orgId)))
        .returning();
      const row = requireRow(rows);
      const changed = changedFields(auditDetails(before), auditDetails(row), Object.keys(auditDetails(row)));
      const details = { ...changed, ...(secret !== undefined && { client_secret_changed: true }) };
      await auditSource(tx, subject, "identity_source.update", row, details);
      return sourceAnswer(row);
    }),
  );
}

/** Lock the source as it was when it was checked, outside any transaction. @throws NotFoundError, SourceChangedError */
async function assertUnchanged(tx: Tx, before: SourceRow): Promise<void> {
  const rows = await tx.select().from(t).where(eq(t.id, before.id)).for("no key update");
  const now = requireRow(rows);
  const decisive = ["oidcIssuer", "oidcClientId", "oidcGroupsClaim", "enabled"] as const;
  if (decisive.some((field) => now[field] !== before[field])) throw new SourceChangedError();
}

/** Needs (identity_source, manage). Its grants end at once. @throws ForbiddenError, NotFoundError, LastAdminError */
export async function deleteSource(
  { db }: SourceDeps,
  subject: Subject,
  orgId: string,
  sourceId: string,
): Promise<void> {
  const { superAdmin } = await requireOrg(db, subject, orgId, MANAGE);
  requireUuids(sourceId);
  await inTransaction(db, (tx) =>
    keepingAnAdmin(tx, { orgId, superAdmin }, async () => {
      const rows = await tx
        .delete(t)
        .where(and(eq(t.id, sourceId), eq(t.orgId, orgId)))
        .returning();
      const row = requireRow(rows);
      await auditSource(tx, subject, "identity_source.delete", row);
    }),
  );
}

function columns({ display_name, enabled, groups_scope }: SourceSettings, oidc: OidcSettings) {
  return { displayName: display_name, enabled, groupsScope: groups_scope ?? null, ...oidc };
}

async function sealed(keyring: Keyring, id: string, secret: string | undefined): Promise<Buffer | undefined> {
  return secret === undefined ? undefined : keyring.seal(Buffer.from(secret), secretPlace(id));
}
