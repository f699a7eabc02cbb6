/**
 * Invitations: pre-approvals of somebody who will sign in later, by provider and login or e-mail
 * (docs/rules/organizations.md#people-come-into-being-at-sign-in).
 */
import { sql } from "drizzle-orm";
import { type ListQuery, type ListRules, listPage } from "../../http/listQuery.ts";
import type { Principal, Subject } from "../../http/principal.ts";
import type { Db, Queryable } from "../../platform/db/client.ts";
import { ProblemError } from "../../platform/problems/problem.ts";
import { requireRow, requireUuids } from "../../platform/problems/requireRow.ts";
import { uniqueRow } from "../../platform/problems/uniqueRow.ts";
import { rfc3339 } from "../../platform/time/time.ts";
import type { Service } from "../../work/service.ts";
import { unitOfWork } from "../../work/unitOfWork.ts";
import { recordAudit } from "../audit/record.ts";
import { type Check, requireOrg } from "../authorization/authorize.ts";
import { holdMinter } from "../credentials/holdMinter.ts";
import { assertCovers } from "../roles/coverage.ts";
import type { Invitation } from "./answer.ts";
import { loginName } from "./loginName.ts";

class AlreadyInvitedError extends ProblemError {
  constructor() {
    super({ status: 409, code: "conflict", detail: "They are invited already; change or delete that invitation." });
  }
}

export const DEFAULT_LIFETIME = "P14D";
export const MAX_LIFETIME_MS = 90 * 86_400_000;

export type InvitationTerms = { role_ids: string[]; lifetime: number };
export type NewInvitation = InvitationTerms & { provider_key: string; login: string };

const COLUMNS = sql`i.id, i.provider_key, i.login, i.invited_by, i.expires_at, i.created_at, (
  select coalesce(jsonb_agg(jsonb_build_object('id', r.id, 'name', r.name, 'is_system', r.is_system) order by r.name), '[]')
  from roles r where r.id = any(i.role_ids)) as roles`;

function answer(row: Invitation): Invitation {
  return { ...row, expires_at: rfc3339(row.expires_at), created_at: rfc3339(row.created_at) };
}

export const INVITATION_LIST = {
  fields: {
    created_at: { value: sql`i.created_at`, type: "timestamptz" },
    expires_at: { value: sql`i.expires_at`, type: "timestamptz" },
    login: { value: sql`i.login`, type: "text" },
  },
  byDefault: "created_at",
  id: sql`i.id`,
  idType: "uuid",
} as const satisfies ListRules<string>;

/** Those that wait and have not expired. Needs (member, read). @throws ForbiddenError, InvalidValueError */
export async function listInvitations(
  db: Db,
  subject: Subject,
  orgId: string,
  query: ListQuery,
): Promise<{ items: Invitation[]; next_cursor: string | null }> {
  await requireOrg(db, subject, orgId, { type: "member", action: "read" });
  const list = listPage(query, INVITATION_LIST);
  const rows = await db.execute<Invitation & { sort_value: string }>(sql`
    select ${COLUMNS}, ${list.sortValue} from invitations i
    where i.org_id = ${orgId} and i.expires_at > svc_now() and ${list.after}
    order by ${list.orderBy} limit ${list.limit}`);
  const { items, next_cursor } = list.cut(rows, (row) => row.id);
  return { items: items.map(({ sort_value, ...row }) => answer(row)), next_cursor };
}

/** Needs (member, read). @throws ForbiddenError, NotFoundError */
export async function readInvitation(db: Db, subject: Subject, orgId: string, id: string): Promise<Invitation> {
  await requireOrg(db, subject, orgId, { type: "member", action: "read" });
  return load(db, orgId, id);
}

/**
 * Needs (member, create); with roles also (role, assign) and every permission of them. One that has expired is
 * replaced.
 * @throws ForbiddenError, InvalidValueError, AlreadyInvitedError, NotFoundError
 */
export async function invite(
  service: Service,
  subject: Principal,
  orgId: string,
  { provider_key, login, role_ids, lifetime }: NewInvitation,
): Promise<Invitation> {
  await requireOrg(service.db, subject, orgId, { type: "member", action: "create" }, ...assigning(role_ids));
  const name = loginName(login);
  return uniqueRow(AlreadyInvitedError, () =>
    unitOfWork(service, async ({ tx }) => {
      // Else one that is given while the inviter's access ends would outlive it.
      await holdMinter(tx, subject);
      await assertCovers(tx, subject, orgId, role_ids, "role_ids");
      const person = sql`org_id = ${orgId} and provider_key = ${provider_key} and login = ${name}`;
      await tx.execute(sql`delete from invitations where ${person} and expires_at <= svc_now()`);
      const [row] = await tx.execute<{ id: string }>(sql`
        insert into invitations (org_id, provider_key, login, role_ids, invited_by, expires_at)
        values (${orgId}, ${provider_key}, ${name}, ${idArray(role_ids)}, ${subject.id}, ${end(lifetime)})
        returning id`);
      const invitation = await load(tx, orgId, row!.id);
      await recordAudit(tx, { ...audited(orgId, subject, invitation), action: "invitation.create" });
      return invitation;
    }),
  );
}

/**
 * Replace roles and end; whoever does it is the inviter from then on. Needs what `invite` needs. @throws as `invite`
 */
export async function changeInvitation(
  service: Service,
  subject: Principal,
  orgId: string,
  id: string,
  { role_ids, lifetime }: InvitationTerms,
): Promise<Invitation> {
  await requireOrg(service.db, subject, orgId, { type: "member", action: "create" }, ...assigning(role_ids));
  return unitOfWork(service, async ({ tx }) => {
    await holdMinter(tx, subject);
    await load(tx, orgId, id);
    await assertCovers(tx, subject, orgId, role_ids, "role_ids");
    const rows = await tx.execute(sql`
      update invitations set role_ids = ${idArray(role_ids)}, invited_by = ${subject.id}, expires_at = ${end(lifetime)}
      where id = ${id} and org_id = ${orgId} returning 1`);
    requireRow(rows);
    const invitation = await load(tx, orgId, id);
    await recordAudit(tx, { ...audited(orgId, subject, invitation), action: "invitation.update" });
    return invitation;
  });
}

/** Needs (member, create), like giving it. @throws ForbiddenError, NotFoundError */
export async function deleteInvitation(service: Service, subject: Subject, orgId: string, id: string): Promise<void> {
  await requireOrg(service.db, subject, orgId, { type: "member", action: "create" });
  await unitOfWork(service, async ({ tx }) => {
    const invitation = await load(tx, orgId, id);
    requireRow(await tx.execute(sql`delete from invitations where id = ${id} returning 1`));
    await recordAudit(tx, { ...audited(orgId, subject, invitation), action: "invitation.delete" });
  });
}

function assigning(roleIds: readonly string[]): Check[] {
  return roleIds.length > 0 ? [{ type: "role", action: "assign" }] : [];
}

function idArray(ids: readonly string[]) {
  return sql`${sql.param([...new Set(ids)])}::uuid[]`;
}

function end(lifetimeMs: number) {
  return sql`svc_now() + ${lifetimeMs}::float8 * interval '1 millisecond'`;
}

async function load(db: Queryable, orgId: string, id: string): Promise<Invitation> {
  requireUuids(id);
  const rows = await db.execute<Invitation>(sql`
    select ${COLUMNS} from invitations i
    where i.id = ${id} and i.org_id = ${orgId} and i.expires_at > svc_now()`);
  return answer(requireRow(rows));
}

function audited(orgId: string, actor: Subject, { id, provider_key, login, roles }: Invitation) {
  return { orgId, actor, resourceId: id, details: { provider_key, login, roles: roles.map((role) => role.id) } };
}
