/** Escalation prevention (spec 5.4): nobody hands on more than they hold. */
import { sql } from "drizzle-orm";
import { ForbiddenError } from "../authorization/authorize.ts";
import { grants, standing } from "../authorization/grants.ts";
import type { Subject } from "../authorization/subject.ts";
import type { Queryable } from "../db/client.ts";
import { InvalidValueError } from "../http/requestErrors.ts";

/**
 * Every permission of these roles must be covered by one the subject holds in the organization: untargeted, or identical
 * on pattern and group. Super-admins hold everything.
 * @throws InvalidValueError for a role that is not the organization's to give, ForbiddenError when something is not covered
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
  const [row] = (await db.execute(sql`
    select (select count(*)::int from roles r where r.id = any(${ids}::uuid[]) and (r.org_id is null or r.org_id = ${orgId}::uuid)) as known,
      coalesce((select s.super_admin from ${standing(subject, orgId)} s), false) or not exists (
        select 1 from role_permissions c where c.role_id = any(${ids}::uuid[]) and not exists (
          select 1 from ${grants(subject, orgId)} p
          where p.resource_type in (c.resource_type, '*') and p.action in (c.action, '*')
            and (p.resource_pattern is null and p.authz_group is null
              or p.resource_pattern is not distinct from c.resource_pattern and p.authz_group is not distinct from c.authz_group)
        )) as covered`)) as unknown as { known: number; covered: boolean }[];
  if (row?.known !== new Set(roleIds).size)
    throw new InvalidValueError([{ field, message: "names a role that does not exist" }]);
  if (!row.covered) throw new ForbiddenError("This would hand on permissions that you do not hold yourself.");
}
