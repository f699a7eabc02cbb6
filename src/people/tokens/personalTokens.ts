/**
 * A person's own tokens: the value is in one answer, its SHA-256 in the database (docs/rules/credentials.md#tokens).
 */
import { and, eq, sql } from "drizzle-orm";
import { type ListQuery, type ListRules, listPage } from "../../http/listQuery.ts";
import type { Principal, Subject } from "../../http/principal.ts";
import type { Db, Tx } from "../../platform/db/client.ts";
import { requireRow, requireUuids } from "../../platform/problems/requireRow.ts";
import { rfc3339 } from "../../platform/time/time.ts";
import { inTransaction } from "../../work/unitOfWork.ts";
import { recordAudit } from "../audit/record.ts";
import { ForbiddenError } from "../authorization/authorize.ts";
import { holdMembership } from "../authorization/membership.ts";
import { requireSession } from "../authorization/requireSession.ts";
import { makeToken, tokenHash } from "../credentials/format.ts";
import { holdMinter } from "../credentials/holdMinter.ts";
import type { MintedPersonalToken, PersonalToken } from "./personalTokenAnswer.ts";
import { personalAccessTokens as t } from "./schema.ts";

const DAY_MS = 86_400_000;
export const DEFAULT_LIFETIME_MS = 90 * DAY_MS;
export const MAX_LIFETIME_MS = 365 * DAY_MS;

/** What a new token is to be; `lifetime` in milliseconds. */
export type NewPersonalToken = { orgId: string; name: string; lifetime: number };

/**
 * Needs a session, and a membership in the organization.
 * @throws SessionRequiredError, ForbiddenError
 */
export async function createPersonalToken(
  db: Db,
  principal: Principal,
  { orgId, name, lifetime }: NewPersonalToken,
): Promise<MintedPersonalToken> {
  requireSession(principal);
  return inTransaction(db, (tx) => mintPersonalToken(tx, principal, { orgId, name, lifetime }));
}

/**
 * In the caller's transaction, for the person of a session.
 * @param details more for its entry in the audit trail
 * @throws SessionRequiredError, NotAuthenticatedError, ForbiddenError
 */
export async function mintPersonalToken(
  tx: Tx,
  principal: Principal,
  { orgId, name, lifetime }: NewPersonalToken,
  details: Record<string, unknown> = {},
): Promise<MintedPersonalToken> {
  const { id: userId } = requireSession(principal);
  await holdMinter(tx, principal);
  await holdMembership(tx, userId, orgId);
  const token = makeToken("personal");
  const expiresAt = sql`svc_now() + ${lifetime}::float8 * interval '1 millisecond'`;
  const [row] = await tx
    .insert(t)
    .values({ userId, orgId, name, tokenSha256: tokenHash(token), expiresAt })
    .returning();
  await recordAudit(tx, {
    orgId,
    actor: { id: userId, kind: "user" },
    action: "personal_token.create",
    resourceId: row!.id,
    details: { name, ...details },
  });
  return { ...answer(row!), token };
}

export const PERSONAL_TOKEN_LIST = {
  fields: {
    created_at: { value: sql`${t.createdAt}`, type: "timestamptz" },
    expires_at: { value: sql`${t.expiresAt}`, type: "timestamptz" },
  },
  byDefault: "created_at",
  id: sql`${t.id}`,
  idType: "uuid",
} as const satisfies ListRules<string>;

/** The caller's own; a token sees those of its organization only. @throws ForbiddenError, InvalidValueError */
export async function listPersonalTokens(
  db: Db,
  principal: Principal,
  query: ListQuery,
): Promise<{ items: PersonalToken[]; next_cursor: string | null }> {
  const mine = ownTokens(principal);
  const list = listPage(query, PERSONAL_TOKEN_LIST);
  const rows = await db
    .select({
      id: t.id,
      orgId: t.orgId,
      name: t.name,
      expiresAt: t.expiresAt,
      createdAt: t.createdAt,
      sort_value: list.sortValue,
    })
    .from(t)
    .where(and(mine, list.after))
    .orderBy(list.orderBy)
    .limit(list.limit);
  const { items, next_cursor } = list.cut(rows, (row) => row.id);
  return { items: items.map(answer), next_cursor };
}

/** Takes effect with the next request on every process. @throws ForbiddenError, NotFoundError */
export async function deletePersonalToken(db: Db, principal: Principal, tokenId: string): Promise<void> {
  const mine = ownTokens(principal);
  requireUuids(tokenId);
  await inTransaction(db, async (tx) => {
    const rows = await tx
      .delete(t)
      .where(and(mine, eq(t.id, tokenId)))
      .returning({ orgId: t.orgId, name: t.name });
    const row = requireRow(rows);
    const { orgId, name } = row;
    const actor = { id: principal.id, kind: "user" } as const;
    await recordAudit(tx, { orgId, actor, action: "personal_token.delete", resourceId: tokenId, details: { name } });
  });
}

function ownTokens(principal: Principal & Subject) {
  if (principal.kind !== "user") throw new ForbiddenError("Only people have personal tokens.");
  const { credential } = principal;
  const mine = eq(t.userId, principal.id);
  return credential.kind === "personal_access_token" ? and(mine, eq(t.orgId, credential.orgId)) : mine;
}

function answer(row: Omit<typeof t.$inferSelect, "tokenSha256" | "userId">): PersonalToken {
  return {
    id: row.id,
    org_id: row.orgId,
    name: row.name,
    expires_at: rfc3339(row.expiresAt),
    created_at: rfc3339(row.createdAt),
  };
}
