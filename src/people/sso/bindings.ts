/**
 * What the groups of an identity source confer: 1 to 5 roles a group, within what the writer holds
 * (docs/access.md#bindings).
 */
import { sql } from "drizzle-orm";
import type { Subject } from "../../http/principal.ts";
import type { Queryable } from "../../platform/db/client.ts";
import type { SqlRow } from "../../platform/db/sqlRow.ts";
import { ProblemError } from "../../platform/problems/problem.ts";
import { uniqueRow } from "../../platform/problems/uniqueRow.ts";
import type { Service } from "../../work/service.ts";
import { unitOfWork } from "../../work/unitOfWork.ts";
import { changedFields } from "../audit/changedFields.ts";
import { recordAudit } from "../audit/record.ts";
import { requireOrg } from "../authorization/authorize.ts";
import { assertCovers } from "../roles/coverage.ts";
import { keepingAnAdmin } from "../roles/lastAdmin.ts";
import type { Binding, BindingInput } from "./bindingFields.ts";
import { loadBinding, MANAGE } from "./readBindings.ts";
import type { groupRoleBindings } from "./schema.ts";
import { holdSourceOf } from "./sourceOf.ts";

class GroupBoundError extends ProblemError {
  constructor() {
    super({ status: 409, code: "conflict", detail: "This group of this source has a binding already; change that." });
  }
}

/**
 * Bind a group. It takes effect for people at their next sign-in: groups that nothing binds are not kept.
 * @throws ForbiddenError, NotFoundError, InvalidValueError for a role that is not the organization's, GroupBoundError
 */
export async function createBinding(
  service: Service,
  subject: Subject,
  orgId: string,
  sourceId: string,
  { group_key, role_ids }: BindingInput,
): Promise<Binding> {
  await requireOrg(service.db, subject, orgId, MANAGE);
  return uniqueRow(GroupBoundError, () =>
    unitOfWork(service, async ({ tx }) => {
      await holdSourceOf(tx, orgId, sourceId);
      await assertCovers(tx, subject, orgId, role_ids, "role_ids");
      const [row] = await tx.execute<SqlRow<typeof groupRoleBindings, "id">>(sql`
        insert into group_role_bindings (identity_source_id, group_key) values (${sourceId}, ${group_key}) returning id`);
      await attach(tx, row!.id, role_ids);
      const binding = await loadBinding(tx, orgId, sourceId, row!.id);
      await recordAudit(tx, { ...audited(orgId, subject, sourceId, binding), action: "group_binding.create" });
      return binding;
    }),
  );
}

/**
 * Replace a binding's group and roles; what it confers afterwards must all be covered.
 * @throws as `createBinding`, LastAdminError
 */
export async function replaceBinding(
  service: Service,
  subject: Subject,
  orgId: string,
  sourceId: string,
  bindingId: string,
  { group_key, role_ids }: BindingInput,
): Promise<Binding> {
  const { superAdmin } = await requireOrg(service.db, subject, orgId, MANAGE);
  return uniqueRow(GroupBoundError, () =>
    unitOfWork(service, ({ tx }) =>
      keepingAnAdmin(tx, { orgId, superAdmin }, async () => {
        const before = await loadBinding(tx, orgId, sourceId, bindingId);
        await assertCovers(tx, subject, orgId, role_ids, "role_ids");
        await tx.execute(sql`update group_role_bindings set group_key = ${group_key} where id = ${bindingId}`);
        await tx.execute(sql`delete from group_role_binding_roles where binding_id = ${bindingId}`);
        await attach(tx, bindingId, role_ids);
        const binding = await loadBinding(tx, orgId, sourceId, bindingId);
        const entry = audited(orgId, subject, sourceId, binding);
        const changed = changedFields(detailsOf(sourceId, before), entry.details, ["group_key", "roles"]);
        const details = { ...entry.details, ...changed };
        await recordAudit(tx, { ...entry, details, action: "group_binding.update" });
        return binding;
      }),
    ),
  );
}

/** Its grants end at once. @throws ForbiddenError, NotFoundError, LastAdminError */
export async function deleteBinding(
  service: Service,
  subject: Subject,
  orgId: string,
  sourceId: string,
  bindingId: string,
): Promise<void> {
  const { superAdmin } = await requireOrg(service.db, subject, orgId, MANAGE);
  await unitOfWork(service, ({ tx }) =>
    keepingAnAdmin(tx, { orgId, superAdmin }, async () => {
      const binding = await loadBinding(tx, orgId, sourceId, bindingId);
      await tx.execute(sql`delete from group_role_bindings where id = ${bindingId}`);
      await recordAudit(tx, { ...audited(orgId, subject, sourceId, binding), action: "group_binding.delete" });
    }),
  );
}

async function attach(tx: Queryable, bindingId: string, roleIds: readonly string[]): Promise<void> {
  await tx.execute(sql`
    insert into group_role_binding_roles (binding_id, role_id)
    select ${bindingId}, role_id from unnest(${sql.param([...new Set(roleIds)])}::uuid[]) role_id`);
}

function audited(orgId: string, actor: Subject, sourceId: string, binding: Binding) {
  return { orgId, actor, resourceId: binding.id, details: detailsOf(sourceId, binding) };
}

function detailsOf(sourceId: string, { group_key, roles }: Binding) {
  return { identity_source_id: sourceId, group_key, roles: roles.map((role) => role.id) };
}
