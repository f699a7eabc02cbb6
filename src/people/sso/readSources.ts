/** Reading identity sources of an organization; a secret is only known to be there. */
import { and, eq, sql } from "drizzle-orm";
import { type ListQuery, type ListRules, listPage } from "../../http/listQuery.ts";
import type { Subject } from "../../http/principal.ts";
import type { Db, Queryable } from "../../platform/db/client.ts";
import { requireRow, requireUuids } from "../../platform/problems/requireRow.ts";
import { rfc3339 } from "../../platform/time/time.ts";
import { requireOrg } from "../authorization/authorize.ts";
import { identitySources as t } from "./schema.ts";
import type { SourceAnswer } from "./sourceFields.ts";

export type SourceRow = typeof t.$inferSelect;

/** Needs (identity_source, read). @throws ForbiddenError, NotFoundError */
export async function readSource(db: Db, subject: Subject, orgId: string, sourceId: string): Promise<SourceAnswer> {
  await requireOrg(db, subject, orgId, { type: "identity_source", action: "read" });
  return sourceAnswer(await loadSource(db, orgId, sourceId));
}

export const SOURCE_LIST = {
  fields: {
    created_at: { value: sql`${t.createdAt}`, type: "timestamptz" },
    source_slug: { value: sql`${t.sourceSlug}`, type: "text" },
  },
  byDefault: "created_at",
  id: sql`${t.id}`,
  idType: "uuid",
} as const satisfies ListRules<string>;

/** Needs (identity_source, read). @throws ForbiddenError, InvalidValueError */
export async function listSources(
  db: Db,
  subject: Subject,
  orgId: string,
  query: ListQuery,
): Promise<{ items: SourceAnswer[]; next_cursor: string | null }> {
  await requireOrg(db, subject, orgId, { type: "identity_source", action: "read" });
  const list = listPage(query, SOURCE_LIST);
  const rows = await db
    .select({ source: t, sort_value: list.sortValue })
    .from(t)
    .where(and(eq(t.orgId, orgId), list.after))
    .orderBy(list.orderBy)
    .limit(list.limit);
  const { items, next_cursor } = list.cut(rows, (row) => row.source.id);
  return { items: items.map(({ source }) => sourceAnswer(source)), next_cursor };
}

/** @throws NotFoundError, also for a source of another organization */
export async function loadSource(db: Queryable, orgId: string, sourceId: string): Promise<SourceRow> {
  requireUuids(sourceId);
  const rows = await db
    .select()
    .from(t)
    .where(and(eq(t.id, sourceId), eq(t.orgId, orgId)));
  return requireRow(rows);
}

export function sourceAnswer(row: SourceRow): SourceAnswer {
  const orNull = (text: string) => (text === "" ? null : text);
  return {
    id: row.id,
    org_id: row.orgId,
    provider_key: row.providerKey,
    source_slug: row.sourceSlug,
    display_name: row.displayName,
    oidc_issuer: orNull(row.oidcIssuer),
    oidc_client_id: orNull(row.oidcClientId),
    oidc_groups_claim: orNull(row.oidcGroupsClaim),
    groups_scope: row.groupsScope,
    has_client_secret: row.clientSecret !== null,
    enabled: row.enabled,
    created_at: rfc3339(row.createdAt),
    updated_at: rfc3339(row.updatedAt),
  };
}
