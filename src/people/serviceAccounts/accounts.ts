/** Creating, reading, renaming and deleting service accounts (docs/rules/organizations.md#service-accounts). */
import { and, eq, sql } from "drizzle-orm";
import { type ListQuery, type ListRules, listPage } from "../../http/listQuery.ts";
import type { Subject } from "../../http/principal.ts";
import type { Db, Queryable } from "../../platform/db/client.ts";
import type { SqlRow } from "../../platform/db/sqlRow.ts";
import { ProblemError } from "../../platform/problems/problem.ts";
import { requireRow, requireUuids } from "../../platform/problems/requireRow.ts";
import { uniqueRow } from "../../platform/problems/uniqueRow.ts";
import { rfc3339 } from "../../platform/time/time.ts";
import { inTransaction } from "../../work/unitOfWork.ts";
import { changedFields } from "../audit/changedFields.ts";
import { recordAudit } from "../audit/record.ts";
import { requireOrg } from "../authorization/authorize.ts";
import { withdrawInvitations } from "../members/withdrawInvitations.ts";
import { assertCovers } from "../roles/coverage.ts";
import { keepingAnAdmin } from "../roles/lastAdmin.ts";
import { roleAssignments, type roles } from "../roles/schema.ts";
import type { ServiceAccount } from "./answer.ts";
import { serviceAccounts } from "./schema.ts";

class AccountNameTakenError extends ProblemError {
  constructor() {
    super({ status: 409, code: "conflict", detail: "This organization already has a service account of that name." });
  }
}

/**
 * Needs (service_account, create); giving it roles needs (role, assign) too, and only roles the caller covers.
 * @throws ForbiddenError, InvalidValueError, AccountNameTakenError
 */
export async function createAccount(
  db: Db,
  subject: Subject,
  orgId: string,
  { name, role_ids }: { name: string; role_ids: string[] },
): Promise<ServiceAccount> {
  const assigning = role_ids.length > 0 ? [{ type: "role", action: "assign" } as const] : [];
  await requireOrg(db, subject, orgId, { type: "service_account", action: "create" }, ...assigning);
  return uniqueRow(AccountNameTakenError, () =>
    inTransaction(db, async (tx) => {
      await assertCovers(tx, subject, orgId, role_ids, "role_ids");
      const [account] = await tx.insert(serviceAccounts).values({ orgId, name }).returning();
      const rows = [...new Set(role_ids)].map((roleId) => ({ orgId, roleId, serviceAccountId: account!.id }));
      if (rows.length > 0) await tx.insert(roleAssignments).values(rows);
      const entry = { orgId, actor: subject, action: "service_account.create", resourceId: account!.id } as const;
      await recordAudit(tx, { ...entry, details: { name, roles: rows.map((row) => row.roleId) } });
      return readAccount(tx, orgId, account!.id);
    }),
  );
}

type AccountRow = SqlRow<typeof serviceAccounts, "id" | "name" | "disabled_at" | "created_at"> & {
  roles: SqlRow<typeof roles, "id" | "name" | "is_system">[];
};

const COLUMNS = sql`a.id, a.name, a.disabled_at, a.created_at, (
  select coalesce(jsonb_agg(jsonb_build_object('id', r.id, 'name', r.name, 'is_system', r.is_system) order by r.name), '[]')
  from role_assignments ra join roles r on r.id = ra.role_id where ra.service_account_id = a.id) as roles`;

function answer(orgId: string, { created_at, disabled_at, ...row }: AccountRow): ServiceAccount {
  return { ...row, org_id: orgId, disabled_at: rfc3339(disabled_at), created_at: rfc3339(created_at) };
}

/** Needs (service_account, read). @throws ForbiddenError, NotFoundError */
export async function getAccount(db: Db, subject: Subject, orgId: string, id: string): Promise<ServiceAccount> {
  await requireOrg(db, subject, orgId, { type: "service_account", action: "read" });
  return readAccount(db, orgId, id);
}

/** The account as it is shown. @throws NotFoundError */
export async function readAccount(db: Queryable, orgId: string, id: string): Promise<ServiceAccount> {
  requireUuids(id);
  const rows = await db.execute<AccountRow>(sql`
    select ${COLUMNS} from service_accounts a where a.org_id = ${orgId} and a.id = ${id}`);
  return answer(orgId, requireRow(rows));
}

export const ACCOUNT_LIST = {
  fields: {
    created_at: { value: sql`a.created_at`, type: "timestamptz" },
    name: { value: sql`a.name`, type: "text" },
  },
  byDefault: "created_at",
  id: sql`a.id`,
  idType: "uuid",
} as const satisfies ListRules<string>;

/** Needs (service_account, read). @throws ForbiddenError, InvalidValueError */
export async function listAccounts(
  db: Db,
  subject: Subject,
  orgId: string,
  query: ListQuery,
): Promise<{ items: ServiceAccount[]; next_cursor: string | null }> {
  await requireOrg(db, subject, orgId, { type: "service_account", action: "read" });
  const list = listPage(query, ACCOUNT_LIST);
  const rows = await db.execute<AccountRow & { sort_value: string }>(sql`
    select ${COLUMNS}, ${list.sortValue} from service_accounts a
    where a.org_id = ${orgId} and ${list.after} order by ${list.orderBy} limit ${list.limit}`);
  const { items, next_cursor } = list.cut(rows, (row) => row.id);
  return { items: items.map(({ sort_value, ...row }) => answer(orgId, row)), next_cursor };
}

/** Needs (service_account, update). @throws ForbiddenError, NotFoundError, AccountNameTakenError */
export async function renameAccount(
  db: Db,
  subject: Subject,
  orgId: string,
  id: string,
  name: string,
): Promise<ServiceAccount> {
  await requireOrg(db, subject, orgId, { type: "service_account", action: "update" });
  return uniqueRow(AccountNameTakenError, () =>
    inTransaction(db, async (tx) => {
      const before = await readAccount(tx, orgId, id);
      // The row may have gone meanwhile; a name that another call wrote in between is overwritten, as by any later one.
      const rows = await tx.execute(
        sql`update service_accounts set name = ${name} where id = ${id} and org_id = ${orgId} returning 1`,
      );
      requireRow(rows);
      const after = { ...before, name };
      const details = changedFields(before, after, ["name"]);
      const entry = { orgId, actor: subject, action: "service_account.update", resourceId: id } as const;
      if (details !== null) await recordAudit(tx, { ...entry, details });
      return after;
    }),
  );
}

/**
 * Deletes its tokens, its assignments and the invitations it gave with it. Needs (service_account, delete).
 * @throws ForbiddenError, NotFoundError, LastAdminError
 */
export async function deleteAccount(db: Db, subject: Subject, orgId: string, accountId: string): Promise<void> {
  const { superAdmin } = await requireOrg(db, subject, orgId, { type: "service_account", action: "delete" });
  requireUuids(accountId);
  await inTransaction(db, (tx) =>
    keepingAnAdmin(tx, { orgId, superAdmin }, async () => {
      const rows = await tx
        .delete(serviceAccounts)
        .where(and(eq(serviceAccounts.orgId, orgId), eq(serviceAccounts.id, accountId)))
        .returning();
      const account = requireRow(rows);
      // After the row: who invites holds the token it came with, and that has gone with the row.
      const invitations = await withdrawInvitations(tx, accountId, subject);
      const details = { name: account.name, invitations };
      await recordAudit(tx, {
        orgId,
        actor: subject,
        action: "service_account.delete",
        resourceId: accountId,
        details,
      });
    }),
  );
}
