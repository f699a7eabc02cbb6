/** Direct assignments of roles to people and service accounts. */
import { sql } from "drizzle-orm";
import { byCreation, type ListQuery, listPage } from "../../http/listQuery.ts";
import type { Subject } from "../../http/principal.ts";
import type { Db, Queryable, Tx } from "../../platform/db/client.ts";
import type { SqlRow } from "../../platform/db/sqlRow.ts";
import { sqlState } from "../../platform/db/sqlState.ts";
import { ProblemError } from "../../platform/problems/problem.ts";
import { InvalidValueError } from "../../platform/problems/requestErrors.ts";
import { requireRow, requireUuids } from "../../platform/problems/requireRow.ts";
import { rfc3339 } from "../../platform/time/time.ts";
import type { Service } from "../../work/service.ts";
import { unitOfWork } from "../../work/unitOfWork.ts";
import { recordAudit } from "../audit/record.ts";
import { requireOrg } from "../authorization/authorize.ts";
import { UNEXPIRED } from "../authorization/membership.ts";
import type { RoleAssignment } from "./answer.ts";
import { assertCovers } from "./coverage.ts";
import { keepingAnAdmin } from "./lastAdmin.ts";
import type { roleAssignments } from "./schema.ts";

class AlreadyAssignedError extends ProblemError {
  constructor() {
    super({ status: 409, code: "conflict", detail: "They have this role already." });
  }
}

/** Exactly one of the two is set. */
export type Holder = { user_id?: string | undefined; service_account_id?: string | undefined };
type AssignmentFilter = Holder & { role_id?: string | undefined };

const COLUMNS = sql`ra.id, ra.user_id, ra.service_account_id, ra.created_at,
  jsonb_build_object('id', r.id, 'name', r.name, 'is_system', r.is_system) as role`;

export const ASSIGNMENT_LIST = byCreation("ra");

/** Needs (role, read). @throws ForbiddenError, InvalidValueError */
export async function listAssignments(
  db: Db,
  subject: Subject,
  orgId: string,
  { user_id, service_account_id, role_id, ...query }: ListQuery & AssignmentFilter,
): Promise<{ items: RoleAssignment[]; next_cursor: string | null }> {
  await requireOrg(db, subject, orgId, { type: "role", action: "read" });
  const list = listPage(query, ASSIGNMENT_LIST);
  const filters = [
    user_id === undefined ? sql`true` : sql`ra.user_id = ${user_id}`,
    service_account_id === undefined ? sql`true` : sql`ra.service_account_id = ${service_account_id}::uuid`,
    role_id === undefined ? sql`true` : sql`ra.role_id = ${role_id}::uuid`,
  ];
  const rows = await db.execute<RoleAssignment & { sort_value: string }>(sql`
    select ${COLUMNS}, ${list.sortValue} from role_assignments ra join roles r on r.id = ra.role_id
    where ra.org_id = ${orgId} and ${sql.join(filters, sql` and `)} and ${list.after}
    order by ${list.orderBy} limit ${list.limit}`);
  const { items, next_cursor } = list.cut(rows, (row) => row.id);
  return { items: items.map(({ sort_value, ...row }) => answer(row)), next_cursor };
}

function answer(row: RoleAssignment): RoleAssignment {
  return { ...row, created_at: rfc3339(row.created_at) };
}

/**
 * Give a role. Needs (role, assign) and every permission of the role.
 * @throws ForbiddenError, InvalidValueError for a role or holder that is not the organization's, AlreadyAssignedError
 */
export async function assignRole(
  service: Service,
  subject: Subject,
  orgId: string,
  { role_id, ...holder }: Holder & { role_id: string },
): Promise<RoleAssignment> {
  await requireOrg(service.db, subject, orgId, { type: "role", action: "assign" });
  try {
    return await unitOfWork(service, async ({ tx }) => {
      await assertCovers(tx, subject, orgId, [role_id], "role_id");
      await assertHolder(tx, orgId, holder);
      const { user_id = null, service_account_id = null } = holder;
      const [row] = await tx.execute<SqlRow<typeof roleAssignments, "id">>(sql`
        insert into role_assignments (org_id, role_id, user_id, service_account_id)
        values (${orgId}, ${role_id}, ${user_id}, ${service_account_id}::uuid) returning id`);
      const assignment = await loadAssignment(tx, orgId, row!.id);
      await recordAudit(tx, { ...audited(orgId, subject, assignment), action: "role_assignment.create" });
      return assignment;
    });
  } catch (error) {
    if (sqlState(error) === "23505") throw new AlreadyAssignedError();
    throw error;
  }
}

/**
 * The holder belongs to the organization and stays so until the commit: whoever is revoked at this moment must not keep
 * a role for the day they come back.
 */
async function assertHolder(tx: Tx, orgId: string, { user_id, service_account_id }: Holder): Promise<void> {
  const found =
    user_id !== undefined
      ? sql`select 1 from memberships m where m.user_id = ${user_id} and m.org_id = ${orgId} and ${UNEXPIRED} for key share`
      : sql`select 1 from service_accounts where id = ${service_account_id}::uuid and org_id = ${orgId} for key share`;
  if ((await tx.execute(found)).length > 0) return;
  throw new InvalidValueError([
    user_id !== undefined
      ? { field: "user_id", message: "is no member of this organization" }
      : { field: "service_account_id", message: "is no service account of this organization" },
  ]);
}

/** Needs (role, assign). @throws ForbiddenError, NotFoundError, LastAdminError */
export async function unassignRole(
  service: Service,
  subject: Subject,
  orgId: string,
  assignmentId: string,
): Promise<void> {
  const { superAdmin } = await requireOrg(service.db, subject, orgId, { type: "role", action: "assign" });
  await unitOfWork(service, ({ tx }) =>
    keepingAnAdmin(tx, { orgId, superAdmin }, async () => {
      const assignment = await loadAssignment(tx, orgId, assignmentId);
      requireRow(await tx.execute(sql`delete from role_assignments where id = ${assignmentId} returning 1`));
      await recordAudit(tx, { ...audited(orgId, subject, assignment), action: "role_assignment.delete" });
    }),
  );
}

async function loadAssignment(db: Queryable, orgId: string, id: string): Promise<RoleAssignment> {
  requireUuids(id);
  const rows = await db.execute<RoleAssignment>(sql`
    select ${COLUMNS} from role_assignments ra join roles r on r.id = ra.role_id
    where ra.id = ${id} and ra.org_id = ${orgId}`);
  return answer(requireRow(rows));
}

function audited(orgId: string, actor: Subject, { id, role, user_id, service_account_id }: RoleAssignment) {
  const holder = user_id === null ? { service_account_id } : { user_id };
  return { orgId, actor, resourceId: id, details: { role_id: role.id, role: role.name, ...holder } };
}
