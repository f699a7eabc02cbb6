/** Listing, adding and revoking members. */
import { sql } from "drizzle-orm";
import { type ListQuery, type ListRules, listPage } from "../../http/listQuery.ts";
import { escapeLike } from "../../http/pagination.ts";
import type { Principal, Subject } from "../../http/principal.ts";
import type { Db, Queryable } from "../../platform/db/client.ts";
import type { SqlRow } from "../../platform/db/sqlRow.ts";
import { NotFoundError, ProblemError } from "../../platform/problems/problem.ts";
import { InvalidValueError } from "../../platform/problems/requestErrors.ts";
import { requireUuids } from "../../platform/problems/requireRow.ts";
import type { Metrics } from "../../platform/telemetry/metrics.ts";
import { rfc3339 } from "../../platform/time/time.ts";
import type { Service } from "../../work/service.ts";
import { unitOfWork } from "../../work/unitOfWork.ts";
import { recordAudit } from "../audit/record.ts";
import { authorize, requireOrg } from "../authorization/authorize.ts";
import { UNEXPIRED } from "../authorization/membership.ts";
import { holdMinter } from "../credentials/holdMinter.ts";
import { keepingAnAdmin } from "../roles/lastAdmin.ts";
import type { Member } from "./answer.ts";
import { offerMembership } from "./offers.ts";
import type { memberships } from "./schema.ts";
import { admitMember, countSeatDenials, SeatLimitError } from "./seats.ts";

class OwnerRevokedError extends ProblemError {
  constructor() {
    super({ status: 409, code: "conflict", detail: "A personal organization always has its owner." });
  }
}

const COLUMNS = sql`m.user_id, u.login, u.display_name, m.source, m.expires_at, u.disabled_at, m.created_at, (
  select coalesce(jsonb_agg(jsonb_build_object('id', r.id, 'name', r.name, 'is_system', r.is_system) order by r.name), '[]')
  from role_assignments ra join roles r on r.id = ra.role_id
  where ra.user_id = m.user_id and ra.org_id = m.org_id) as roles`;

function answer(row: Member): Member {
  return {
    ...row,
    expires_at: rfc3339(row.expires_at),
    disabled_at: rfc3339(row.disabled_at),
    created_at: rfc3339(row.created_at),
  };
}

export const MEMBER_LIST = {
  fields: {
    created_at: { value: sql`m.created_at`, type: "timestamptz" },
    login: { value: sql`u.login`, type: "text" },
  },
  byDefault: "created_at",
  id: sql`m.user_id`,
  idType: "text",
} as const satisfies ListRules<string>;

/** Needs (member, read). `search` finds text in login and display name. @throws ForbiddenError, InvalidValueError */
export async function listMembers(
  db: Db,
  subject: Subject,
  orgId: string,
  { search, ...query }: ListQuery & { search?: string | undefined },
): Promise<{ items: Member[]; next_cursor: string | null }> {
  await requireOrg(db, subject, orgId, { type: "member", action: "read" });
  const list = listPage(query, MEMBER_LIST);
  const pattern = `%${escapeLike(search ?? "")}%`;
  const found = sql`(u.login ilike ${pattern} escape '\\' or u.display_name ilike ${pattern} escape '\\')`;
  const rows = await db.execute<Member & { sort_value: string }>(sql`
    select ${COLUMNS}, ${list.sortValue} from memberships m join users u on u.id = m.user_id
    where m.org_id = ${orgId} and ${UNEXPIRED} and ${search === undefined ? sql`true` : found} and ${list.after}
    order by ${list.orderBy} limit ${list.limit}`);
  const { items, next_cursor } = list.cut(rows, (row) => row.user_id);
  return { items: items.map(({ sort_value, ...row }) => answer(row)), next_cursor };
}

/**
 * Make an existing user a member without end, or offer it to them. Needs (member, create). Whoever is a member already
 * stays one, also at the cap; a membership that would expire no longer does. Somebody whom the caller shares no other
 * organization with, where they may add members too, is asked first.
 * @returns null when the person is asked
 * @throws ForbiddenError, SeatLimitError, InvalidValueError for a user that does not exist, NotFoundError
 */
export async function addMember(
  service: Service,
  metrics: Pick<Metrics, "seatDenials">,
  subject: Subject,
  orgId: string,
  userId: string,
): Promise<Member | null> {
  const { superAdmin } = await requireOrg(service.db, subject, orgId, { type: "member", action: "create" });
  try {
    return await unitOfWork(service, async ({ tx }) => {
      await assertUser(tx, userId);
      const before = await findMember(tx, orgId, userId);
      if (before === undefined && !superAdmin && !(await inOtherOrgOf(tx, subject, userId))) {
        await offerMembership(tx, {
          userId,
          orgIds: [orgId],
          source: "manual",
          memberUntil: null,
          offeredBy: subject.id,
        });
        await recordAudit(tx, { orgId, actor: subject, action: "member.offer", resourceId: userId });
        return null;
      }
      const { admitted, withheld } = await admitMember(tx, {
        userId,
        orgIds: [orgId],
        source: "manual",
        expiresAt: null,
      });
      if (withheld.length > 0) throw new SeatLimitError();
      // Only a super-admin passes the check for an organization that does not exist.
      if (admitted.length === 0) throw new NotFoundError();
      const member = (await findMember(tx, orgId, userId))!;
      if (before === undefined || before.expires_at !== member.expires_at) {
        await recordAudit(tx, { orgId, actor: subject, action: "member.add", resourceId: userId });
      }
      return member;
    });
  } catch (error) {
    if (error instanceof SeatLimitError) countSeatDenials(metrics, [orgId], "manual");
    throw error;
  }
}

/** Whether the person is in an organization, no personal one, in which this subject may add members as well. */
async function inOtherOrgOf(tx: Queryable, subject: Subject, userId: string): Promise<boolean> {
  if (subject.kind === "service_account") return false;
  const shared = await tx.execute<SqlRow<typeof memberships, "org_id">>(sql`
    select m.org_id from memberships m join memberships own on own.org_id = m.org_id and own.user_id = ${subject.id}
      join organizations o on o.id = m.org_id and not o.is_personal
    where m.user_id = ${userId} and ${UNEXPIRED} limit 100`);
  for (const { org_id } of shared) {
    if ((await authorize(tx, subject, { orgId: org_id, type: "member", action: "create" })).granted) return true;
  }
  return false;
}

async function assertUser(tx: Queryable, userId: string): Promise<void> {
  const rows = await tx.execute(sql`select 1 from users where id = ${userId} for key share`);
  if (rows.length > 0) return;
  throw new InvalidValueError([
    { field: "user_id", message: "is nobody who has signed in yet; invite them by their login instead" },
  ]);
}

async function findMember(db: Queryable, orgId: string, userId: string): Promise<Member | undefined> {
  const [row] = await db.execute<Member>(sql`
    select ${COLUMNS} from memberships m join users u on u.id = m.user_id
    where m.org_id = ${orgId} and m.user_id = ${userId} and ${UNEXPIRED}`);
  return row && answer(row);
}

/**
 * End a membership, and in the same transaction what hangs on it: the person's tokens of this organization, their
 * direct roles here, the invitations they gave, by which they could come back, and the tokens of service accounts that
 * they minted. Who keeps those answers for them from then on. Needs (member, delete), to keep them (service_account,
 * update) too.
 * @throws ForbiddenError, NotFoundError, LastAdminError, OwnerRevokedError
 */
export async function revokeMember(
  service: Service,
  subject: Principal,
  orgId: string,
  userId: string,
  minted: "end" | "keep",
): Promise<void> {
  const keeping = minted === "keep" ? [{ type: "service_account", action: "update" } as const] : [];
  const { superAdmin } = await requireOrg(service.db, subject, orgId, { type: "member", action: "delete" }, ...keeping);
  requireUuids(orgId);
  await unitOfWork(service, async ({ tx }) => {
    // The caller's own row comes before the organization's, as in a sign-in.
    const heir = minted === "keep" ? await holdMinter(tx, subject) : userId;
    await keepingAnAdmin(tx, { orgId, superAdmin }, async () => {
      const owned = await tx.execute(
        sql`select 1 from organizations where id = ${orgId} and owner_user_id = ${userId}`,
      );
      if (owned.length > 0) throw new OwnerRevokedError();
      const [revoked] = await tx.execute<SqlRow<typeof memberships, "source">>(sql`
        delete from memberships where org_id = ${orgId} and user_id = ${userId} returning source`);
      const tokens = await endMinted(tx, { orgId, userId, heir });
      const removed = { ...(await removeRights(tx, orgId, userId)), ...tokens };
      // Housekeeping may have removed an expired membership; the rights that wait for its return can still be taken.
      const { service_account_tokens, kept_service_account_tokens } = tokens;
      const anything =
        removed.tokens + removed.roles.length + removed.invitations > 0 ||
        service_account_tokens.length + kept_service_account_tokens.length > 0;
      if (revoked === undefined && !anything) throw new NotFoundError();
      const details = { source: revoked?.source ?? null, ...removed };
      await recordAudit(tx, { orgId, actor: subject, action: "member.revoke", resourceId: userId, details });
    });
  });
}

type Minted = { service_account_tokens: string[]; kept_service_account_tokens: string[] };

/**
 * Tokens of this organization's accounts that the person minted end, or are traced to `heir` from now on: null where
 * that is nobody.
 * @returns their ids
 */
async function endMinted(
  tx: Queryable,
  { orgId, userId, heir }: { orgId: string; userId: string; heir: string | null },
): Promise<Minted> {
  const theirs = sql`t.created_by = ${userId} and t.service_account_id in (select id from service_accounts where org_id = ${orgId})`;
  const ends = heir === userId;
  const rows = await tx.execute<{ id: string }>(
    ends
      ? sql`delete from service_account_tokens t where ${theirs} returning t.id`
      : sql`update service_account_tokens t set created_by = ${heir}, minter_left_at = null where ${theirs} returning t.id`,
  );
  const ids = rows.map(({ id }) => id).sort();
  return {
    service_account_tokens: ends ? ids : [],
    kept_service_account_tokens: ends ? [] : ids,
  };
}

type Removed = { tokens: number; roles: string[]; invitations: number };

/** A statement of its own after the membership's: it sees what was written before that one got its lock. */
async function removeRights(tx: Queryable, orgId: string, userId: string): Promise<Removed> {
  const [removed] = await tx.execute<Removed>(sql`
    with tokens as (delete from personal_access_tokens where user_id = ${userId} and org_id = ${orgId} returning 1),
      assigned as (delete from role_assignments where user_id = ${userId} and org_id = ${orgId} returning role_id),
      invited as (delete from invitations where invited_by = ${userId} and org_id = ${orgId} returning 1)
    select (select count(*)::int from tokens) as tokens, (select count(*)::int from invited) as invitations,
      (select coalesce(jsonb_agg(role_id), '[]') from assigned) as roles`);
  return removed!;
}
