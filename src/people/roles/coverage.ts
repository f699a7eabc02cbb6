/** Escalation prevention: nobody hands on more than they hold (docs/access.md#nobody-hands-on-more-than-they-hold). */
import { type SQL, sql } from "drizzle-orm";
import type { Subject } from "../../http/principal.ts";
import type { Queryable } from "../../platform/db/client.ts";
import { InvalidValueError } from "../../platform/problems/requestErrors.ts";
import { ForbiddenError } from "../authorization/authorize.ts";
import { grants, standing } from "../authorization/grants.ts";
import type { StoredPermission } from "./permission.ts";

class NotCoveredError extends ForbiddenError {
  constructor() {
    super("This would hand on permissions that you do not hold yourself.");
  }
}

class InvitationsNotCoveredError extends ForbiddenError {
  constructor() {
    super("An issuer could vouch for people whose invitations confer permissions that you do not hold yourself.");
  }
}

/**
 * Every permission of these roles must be covered by one the subject holds in the organization. Super-admins hold
 * everything. The roles stay as they are until the end of the transaction: one that is deleted at this moment is
 * refused here, and one that is given more permissions is so before, and is looked at with them, or afterwards.
 * @throws InvalidValueError for a role that is not the organization's to give, ForbiddenError when something is not
 * covered
 */
export async function assertCovers(
  db: Queryable,
  subject: Subject,
  orgId: string,
  roleIds: readonly string[],
  field: string,
): Promise<void> {
  if (roleIds.length === 0) return;
  const ids = sql.param([...roleIds]);
  const known = await db.execute(sql`
    select from roles r where r.id = any(${ids}::uuid[]) and (r.org_id is null or r.org_id = ${orgId}::uuid) order by r.id for share`);
  if (known.length !== new Set(roleIds).size)
    throw new InvalidValueError([{ field, message: "names a role that does not exist" }]);
  const conferred = sql`(select * from role_permissions where role_id = any(${ids}::uuid[]))`;
  if (!(await holdsAll(db, subject, orgId, conferred))) throw new NotCoveredError();
}

/** The same for permissions that a custom role is about to get. @throws ForbiddenError */
export async function assertCoversPermissions(
  db: Queryable,
  subject: Subject,
  orgId: string,
  permissions: readonly StoredPermission[],
): Promise<void> {
  const conferred = sql`(select * from jsonb_to_recordset(${JSON.stringify(permissions)}::jsonb)
    as (resource_type text, action text, resource_pattern text, authz_group text))`;
  if (!(await holdsAll(db, subject, orgId, conferred))) throw new NotCoveredError();
}

/**
 * The same for all that an identity source's bindings confer: whoever changes what the source accepts as proof of a
 * group can make anybody a member of any group it binds.
 * @throws ForbiddenError
 */
export async function assertCoversSource(
  db: Queryable,
  subject: Subject,
  orgId: string,
  sourceId: string,
): Promise<void> {
  const conferred = sql`(select p.* from group_role_bindings b join group_role_binding_roles br on br.binding_id = b.id
    join role_permissions p on p.role_id = br.role_id where b.identity_source_id = ${sourceId}::uuid)`;
  if (!(await holdsAll(db, subject, orgId, conferred))) throw new NotCoveredError();
}

/**
 * The same for all that waiting invitations for `oidc` confer: whoever makes the organization trust another issuer
 * could let it vouch for any invited login or address.
 * @throws ForbiddenError
 */
export async function assertCoversInvitations(db: Queryable, subject: Subject, orgId: string): Promise<void> {
  const conferred = sql`(select p.* from invitations i
    join roles r on r.id = any(i.role_ids) and (r.org_id is null or r.org_id = i.org_id)
    join role_permissions p on p.role_id = r.id
    where i.org_id = ${orgId}::uuid and i.provider_key = 'oidc' and i.expires_at > svc_now())`;
  if (!(await holdsAll(db, subject, orgId, conferred))) throw new InvitationsNotCoveredError();
}

/**
 * Whether each conferred permission is covered: by one of the same or any type and action that is untargeted, or
 * identical on both pattern and group. A pattern never covers a group or another pattern, however much wider it is. `*`
 * is covered only by `*`.
 */
async function holdsAll(db: Queryable, subject: Subject, orgId: string, conferred: SQL): Promise<boolean> {
  const [row] = await db.execute<{ covered: boolean }>(sql`
    select coalesce((select s.super_admin from ${standing(subject, orgId)} s), false) or not exists (
      select 1 from ${conferred} c where not exists (
        select 1 from ${grants(subject, orgId)} p
        where p.resource_type in (c.resource_type, '*') and p.action in (c.action, '*')
          and (p.resource_pattern is null and p.authz_group is null
            or p.resource_pattern is not distinct from c.resource_pattern and p.authz_group is not distinct from c.authz_group)))
      as covered`);
  return row?.covered === true;
}
