/** Custom roles: read with the system roles, written only within what the writer holds. */
import { sql } from "drizzle-orm";
import { type ListQuery, type ListRules, listPage } from "../../http/listQuery.ts";
import type { Subject } from "../../http/principal.ts";
import type { Db, Queryable, Tx } from "../../platform/db/client.ts";
import type { SqlRow } from "../../platform/db/sqlRow.ts";
import { ProblemError } from "../../platform/problems/problem.ts";
import { requireRow, requireUuids } from "../../platform/problems/requireRow.ts";
import { uniqueRow } from "../../platform/problems/uniqueRow.ts";
import { rfc3339 } from "../../platform/time/time.ts";
import type { Service } from "../../work/service.ts";
import { unitOfWork } from "../../work/unitOfWork.ts";
import { recordAudit } from "../audit/record.ts";
import { ForbiddenError, requireOrg } from "../authorization/authorize.ts";
import { countedRoles } from "../authorization/grants.ts";
import type { Role } from "./answer.ts";
import { assertCoversPermissions } from "./coverage.ts";
import { keepingAnAdmin } from "./lastAdmin.ts";
import { type Permission, type StoredPermission, shownPermission, storedPermissions } from "./permission.ts";
import type { roles } from "./schema.ts";

class RoleNameTakenError extends ProblemError {
  constructor() {
    super({ status: 409, code: "conflict", detail: "There is already a role of that name." });
  }
}

export type RoleInput = { name: string; permissions: Permission[] };

type RoleRow = SqlRow<typeof roles, "id" | "org_id" | "name" | "is_system" | "created_at"> & {
  permissions: StoredPermission[];
};

const COLUMNS = sql`r.id, r.org_id, r.name, r.is_system, r.created_at, (
  select coalesce(jsonb_agg(to_jsonb(p) order by p.resource_type, p.action, p.resource_pattern, p.authz_group), '[]')
  from role_permissions p where p.role_id = r.id) as permissions`;

function answer({ id, org_id, name, is_system, permissions, created_at }: RoleRow): Role {
  return {
    id,
    org_id,
    name,
    is_system,
    permissions: permissions.map(shownPermission),
    created_at: rfc3339(created_at),
  };
}

export const ROLE_LIST = {
  fields: {
    name: { value: sql`r.name`, type: "text" },
    created_at: { value: sql`r.created_at`, type: "timestamptz" },
  },
  byDefault: "name",
  id: sql`r.id`,
  idType: "uuid",
} as const satisfies ListRules<string>;

/** System roles and the organization's own. Needs (role, read). @throws ForbiddenError, InvalidValueError */
export async function listRoles(
  db: Db,
  subject: Subject,
  orgId: string,
  query: ListQuery,
): Promise<{ items: Role[]; next_cursor: string | null }> {
  await requireOrg(db, subject, orgId, { type: "role", action: "read" });
  const list = listPage(query, ROLE_LIST);
  const rows = await db.execute<RoleRow & { sort_value: string }>(sql`
    select ${COLUMNS}, ${list.sortValue} from roles r
    where (r.org_id is null or r.org_id = ${orgId}) and ${list.after}
    order by ${list.orderBy} limit ${list.limit}`);
  const { items, next_cursor } = list.cut(rows, (row) => row.id);
  return { items: items.map(answer), next_cursor };
}

/** Needs (role, read). @throws ForbiddenError, NotFoundError */
export async function readRole(db: Db, subject: Subject, orgId: string, roleId: string): Promise<Role> {
  await requireOrg(db, subject, orgId, { type: "role", action: "read" });
  return loadRole(db, orgId, roleId);
}

async function loadRole(db: Queryable, orgId: string, roleId: string): Promise<Role> {
  requireUuids(roleId);
  const rows = await db.execute<RoleRow>(sql`
    select ${COLUMNS} from roles r where r.id = ${roleId} and (r.org_id is null or r.org_id = ${orgId})`);
  return answer(requireRow(rows));
}

/**
 * Needs (role, create) and every permission that the role gets.
 * @throws ForbiddenError, RoleNameTakenError, NotFoundError when a super-admin names no organization
 */
export async function createRole(service: Service, subject: Subject, orgId: string, input: RoleInput): Promise<Role> {
  await requireOrg(service.db, subject, orgId, { type: "role", action: "create" });
  const permissions = storedPermissions(input.permissions);
  return uniqueRow(RoleNameTakenError, () =>
    unitOfWork(service, async ({ tx }) => {
      await assertCoversPermissions(tx, subject, orgId, permissions);
      await assertNoSystemRole(tx, input.name);
      const [row] = await tx.execute<{ id: string }>(
        sql`insert into roles (org_id, name) values (${orgId}, ${input.name}) returning id`,
      );
      await writePermissions(tx, row!.id, permissions);
      const role = await loadRole(tx, orgId, row!.id);
      const details = { name: role.name, permissions: role.permissions };
      await recordAudit(tx, { orgId, actor: subject, action: "role.create", resourceId: role.id, details });
      return role;
    }),
  );
}

/**
 * Replace a custom role's name and permissions, for all who hold it at once. Needs (role, update) and every permission
 * it has afterwards, also those it had before: the writer answers for the whole role.
 * @throws ForbiddenError also for a system role; NotFoundError, RoleNameTakenError, LastAdminError
 */
export async function updateRole(
  service: Service,
  subject: Subject,
  orgId: string,
  roleId: string,
  input: RoleInput,
): Promise<Role> {
  const { superAdmin } = await requireOrg(service.db, subject, orgId, { type: "role", action: "update" });
  const permissions = storedPermissions(input.permissions);
  return uniqueRow(RoleNameTakenError, () =>
    unitOfWork(service, ({ tx }) =>
      keepingAnAdmin(tx, { orgId, superAdmin }, async () => {
        const before = await lockCustomRole(tx, orgId, roleId);
        await assertCoversPermissions(tx, subject, orgId, permissions);
        if (before.name !== input.name) await assertNoSystemRole(tx, input.name);
        await tx.execute(sql`update roles set name = ${input.name} where id = ${roleId}`);
        await tx.execute(sql`delete from role_permissions where role_id = ${roleId}`);
        await writePermissions(tx, roleId, permissions);
        const role = await loadRole(tx, orgId, roleId);
        const details = {
          before: { name: before.name, permissions: before.permissions },
          after: { name: role.name, permissions: role.permissions },
        };
        await recordAudit(tx, { orgId, actor: subject, action: "role.update", resourceId: roleId, details });
        return role;
      }),
    ),
  );
}

/**
 * Takes it from everyone: assignments and binding attachments go with it. Needs (role, delete).
 * @throws ForbiddenError also for a system role; NotFoundError, LastAdminError
 */
export async function deleteRole(service: Service, subject: Subject, orgId: string, roleId: string): Promise<void> {
  const { superAdmin } = await requireOrg(service.db, subject, orgId, { type: "role", action: "delete" });
  await unitOfWork(service, ({ tx }) =>
    keepingAnAdmin(tx, { orgId, superAdmin }, async () => {
      const { name, permissions } = await lockCustomRole(tx, orgId, roleId);
      await trimBindings(tx, roleId);
      await tx.execute(sql`delete from roles where id = ${roleId}`);
      const details = { name, permissions };
      await recordAudit(tx, { orgId, actor: subject, action: "role.delete", resourceId: roleId, details });
    }),
  );
}

/** What an over-long binding holds beyond the roles that count must not move up when one of those goes. */
async function trimBindings(tx: Tx, roleId: string): Promise<void> {
  await tx.execute(sql`
    delete from group_role_binding_roles extra using group_role_binding_roles given
    where given.role_id = ${roleId} and extra.binding_id = given.binding_id
      and extra.role_id not in (${countedRoles(sql`extra.binding_id`)})`);
}

async function lockCustomRole(tx: Tx, orgId: string, roleId: string): Promise<Role> {
  const role = await loadRole(tx, orgId, roleId);
  if (role.is_system) throw new ForbiddenError("System roles cannot be changed.");
  await tx.execute(sql`select 1 from roles where id = ${roleId} for no key update`);
  return loadRole(tx, orgId, roleId);
}

async function writePermissions(tx: Tx, roleId: string, permissions: readonly StoredPermission[]): Promise<void> {
  await tx.execute(sql`
    insert into role_permissions (role_id, resource_type, action, resource_pattern, authz_group)
    select ${roleId}, p.* from jsonb_to_recordset(${JSON.stringify(permissions)}::jsonb)
      as p (resource_type text, action text, resource_pattern text, authz_group text)`);
}

/** Two roles called admin, one of which is not, would deceive whoever assigns them. */
async function assertNoSystemRole(tx: Tx, name: string): Promise<void> {
  const rows = await tx.execute(sql`select 1 from roles where org_id is null and name = lower(${name})`);
  if (rows.length > 0) throw new RoleNameTakenError();
}
