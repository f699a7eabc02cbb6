/**
 * Tokens of a service account: the value is in one answer, its SHA-256 in the database
 * (docs/rules/credentials.md#tokens).
 */
import { and, eq, inArray, sql } from "drizzle-orm";
import { type ListQuery, type ListRules, listPage } from "../../http/listQuery.ts";
import type { Principal, Subject } from "../../http/principal.ts";
import type { Db, Queryable } from "../../platform/db/client.ts";
import type { SqlRow } from "../../platform/db/sqlRow.ts";
import { ProblemError } from "../../platform/problems/problem.ts";
import { requireRow, requireUuids } from "../../platform/problems/requireRow.ts";
import { rfc3339 } from "../../platform/time/time.ts";
import { inTransaction } from "../../work/unitOfWork.ts";
import { recordAudit } from "../audit/record.ts";
import { requireOrg } from "../authorization/authorize.ts";
import { grants } from "../authorization/grants.ts";
import { holdMembership } from "../authorization/membership.ts";
import { makeToken, tokenHash } from "../credentials/format.ts";
import { holdMinter } from "../credentials/holdMinter.ts";
import { assertCovers } from "../roles/coverage.ts";
import type { roleAssignments } from "../roles/schema.ts";
import type { ServiceAccountToken } from "./answer.ts";
import { serviceAccounts, serviceAccountTokens } from "./schema.ts";

const DAY_MS = 86_400_000;
export const DEFAULT_LIFETIME_MS = 90 * DAY_MS;
export const MAX_LIFETIME_MS = 365 * DAY_MS;

export type MintedToken = ServiceAccountToken & { token: string };
type TokenRow = typeof serviceAccountTokens.$inferSelect;

/** A disabled account can do nothing, so a token for it would only mislead. */
class AccountDisabledError extends ProblemError {
  constructor() {
    super({ status: 409, code: "conflict", detail: "This service account is disabled. Enable it first." });
  }
}

/**
 * Needs (service_account, update), and every permission of the account: a token acts with all of them.
 * @throws ForbiddenError, NotFoundError, AccountDisabledError
 */
export async function createToken(
  db: Db,
  principal: Principal,
  orgId: string,
  accountId: string,
  { name, lifetime }: { name: string; lifetime: number },
): Promise<MintedToken> {
  await requireOrg(db, principal, orgId, { type: "service_account", action: "update" });
  await assertAccountOf(db, orgId, accountId);
  const assignments = await db.execute<SqlRow<typeof roleAssignments, "role_id">>(
    sql`select distinct role_id from role_assignments where service_account_id = ${accountId} and org_id = ${orgId}`,
  );
  const roleIds = assignments.map((row) => row.role_id);
  await assertCovers(db, principal, orgId, roleIds, "service_account_id");
  return inTransaction(db, async (tx) => {
    // The account before its tokens, as who disables or deletes it locks them.
    const account = await holdEnabled(tx, accountId);
    const createdBy = await holdMinter(tx, principal);
    // Who revokes them at this moment finds the new token and ends it, or is found here.
    if (createdBy !== null) await holdMembership(tx, createdBy, orgId);
    const { token, ...shown } = await insertToken(tx, account, { name, lifetime, createdBy });
    const details = { service_account_id: accountId, name, expires_at: shown.expires_at };
    await recordAudit(tx, {
      orgId,
      actor: principal,
      action: "service_account_token.create",
      resourceId: shown.id,
      details,
    });
    return { ...shown, token };
  });
}

type Account = SqlRow<typeof serviceAccounts, "id" | "org_id">;
type NewToken = { name: string; lifetime: number; createdBy: string | null };

/**
 * The write of `createToken`, for callers that act for the operator. `lifetime` in milliseconds.
 * @throws AccountDisabledError, also when the account is deleted at this moment
 */
export async function mintToken(tx: Queryable, accountId: string, token: NewToken): Promise<MintedToken> {
  return insertToken(tx, await holdEnabled(tx, accountId), token);
}

/**
 * Until the end of the transaction: who disables the account comes before, and is seen here, or after, and deletes the
 * new token.
 */
async function holdEnabled(tx: Queryable, accountId: string): Promise<Account> {
  const [enabled] = await tx.execute<Account>(
    sql`select id, org_id from service_accounts where id = ${accountId} and disabled_at is null for share`,
  );
  if (enabled === undefined) throw new AccountDisabledError();
  return enabled;
}

async function insertToken(
  tx: Queryable,
  account: Account,
  { name, lifetime, createdBy }: NewToken,
): Promise<MintedToken> {
  const token = makeToken("service_account");
  const holder = { kind: "service_account", id: account.id, orgId: account.org_id, tokenId: null } as const;
  const [row] = await tx
    .insert(serviceAccountTokens)
    .values({
      serviceAccountId: account.id,
      name,
      tokenSha256: tokenHash(token),
      createdBy,
      permissions: sql`(select coalesce(jsonb_agg(distinct to_jsonb(g)), '[]') from ${grants(holder, account.org_id)} g)`,
      expiresAt: sql`svc_now() + ${lifetime}::float8 * interval '1 millisecond'`,
    })
    .returning();
  return { ...answer(row!), token };
}

function answer(row: Omit<TokenRow, "tokenSha256" | "permissions">): ServiceAccountToken {
  return {
    id: row.id,
    service_account_id: row.serviceAccountId,
    name: row.name,
    created_by: row.createdBy,
    minter_left_at: rfc3339(row.minterLeftAt),
    expires_at: rfc3339(row.expiresAt),
    created_at: rfc3339(row.createdAt),
  };
}

const t = serviceAccountTokens;

export const TOKEN_LIST = {
  fields: {
    created_at: { value: sql`${t.createdAt}`, type: "timestamptz" },
    expires_at: { value: sql`${t.expiresAt}`, type: "timestamptz" },
  },
  byDefault: "created_at",
  id: sql`${t.id}`,
  idType: "uuid",
} as const satisfies ListRules<string>;

/**
 * Of one account, or with null of all accounts of the organization. Needs (service_account, read).
 * @throws ForbiddenError, NotFoundError, InvalidValueError
 */
export async function listTokens(
  db: Db,
  subject: Subject,
  orgId: string,
  accountId: string | null,
  { created_by, ...query }: ListQuery & { created_by?: string | undefined },
): Promise<{ items: ServiceAccountToken[]; next_cursor: string | null }> {
  await requireOrg(db, subject, orgId, { type: "service_account", action: "read" });
  const list = listPage(query, TOKEN_LIST);
  if (accountId !== null) await assertAccountOf(db, orgId, accountId);
  const ofAccount =
    accountId === null
      ? inArray(t.serviceAccountId, sql`(select id from service_accounts where org_id = ${orgId}::uuid)`)
      : eq(t.serviceAccountId, accountId);
  const rows = await db
    .select({
      id: t.id,
      serviceAccountId: t.serviceAccountId,
      name: t.name,
      createdBy: t.createdBy,
      minterLeftAt: t.minterLeftAt,
      expiresAt: t.expiresAt,
      createdAt: t.createdAt,
      sort_value: list.sortValue,
    })
    .from(t)
    .where(and(ofAccount, created_by === undefined ? undefined : eq(t.createdBy, created_by), list.after))
    .orderBy(list.orderBy)
    .limit(list.limit);
  const { items, next_cursor } = list.cut(rows, (row) => row.id);
  return { items: items.map(answer), next_cursor };
}

/**
 * Takes effect with the next request on every process. Needs (service_account, update).
 * @throws ForbiddenError, NotFoundError
 */
export async function deleteToken(
  db: Db,
  subject: Subject,
  orgId: string,
  accountId: string,
  tokenId: string,
): Promise<void> {
  await requireOrg(db, subject, orgId, { type: "service_account", action: "update" });
  await assertAccountOf(db, orgId, accountId);
  requireUuids(tokenId);
  await inTransaction(db, async (tx) => {
    const rows = await tx
      .delete(t)
      .where(and(eq(t.id, tokenId), eq(t.serviceAccountId, accountId)))
      .returning({ name: t.name });
    const row = requireRow(rows);
    const details = { service_account_id: accountId, name: row.name };
    await recordAudit(tx, {
      orgId,
      actor: subject,
      action: "service_account_token.delete",
      resourceId: tokenId,
      details,
    });
  });
}

async function assertAccountOf(db: Queryable, orgId: string, accountId: string): Promise<void> {
  requireUuids(accountId);
  const mine = and(eq(serviceAccounts.id, accountId), eq(serviceAccounts.orgId, orgId));
  requireRow(await db.select({ id: serviceAccounts.id }).from(serviceAccounts).where(mine));
}
