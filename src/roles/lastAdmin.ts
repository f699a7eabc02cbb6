/**
 * An organization that has an Admin keeps one: without, only a super-admin could give anybody any right in it again. An
 * Admin here is whoever may do everything: an enabled member, by assignment or by a sign-in binding, or an enabled service account with a
 * valid token.
 */
import { sql } from "drizzle-orm";
import { bindingRoles } from "../authorization/grants.ts";
import type { Tx } from "../db/client.ts";
import { ProblemError } from "../http/problem.ts";
import { lockSeats, UNEXPIRED } from "../members/seats.ts";

class LastAdminError extends ProblemError {
  constructor() {
    super({
      status: 409,
      code: "conflict",
      detail: "Nobody would be left who may do everything in this organization. Make somebody else Admin first.",
    });
  }
}

/**
 * Carry out a write that may take rights away, under the organization's lock. Super-admins may do it anyway: they can repair it.
 * @throws LastAdminError when there was an Admin before it and there is none after
 */
export async function keepingAnAdmin<T>(
  tx: Tx,
  { orgId, superAdmin }: { orgId: string; superAdmin: boolean },
  write: () => Promise<T>,
): Promise<T> {
  await lockSeats(tx, [orgId]);
  const before = !superAdmin && (await hasAdmin(tx, orgId));
  const result = await write();
  if (before && !(await hasAdmin(tx, orgId))) throw new LastAdminError();
  return result;
}

async function hasAdmin(tx: Tx, orgId: string): Promise<boolean> {
  const everything = sql`select p.role_id from role_permissions p join roles r on r.id = p.role_id
    where (r.org_id is null or r.org_id = ${orgId}::uuid) and p.resource_type = '*' and p.action = '*'
      and p.resource_pattern is null and p.authz_group is null`;
  const [row] = (await tx.execute(sql`
    select exists (
      select from memberships m join users u on u.id = m.user_id and u.disabled_at is null
      where m.org_id = ${orgId} and ${UNEXPIRED} and (
        exists (select from role_assignments ra where ra.user_id = u.id and ra.org_id = m.org_id and ra.role_id in (${everything}))
        or exists (select from (${bindingRoles(sql`u.id`, orgId)}) b where b.role_id in (${everything})))
    ) or exists (
      select from service_accounts a join role_assignments ra on ra.service_account_id = a.id and ra.org_id = a.org_id
      where a.org_id = ${orgId} and a.disabled_at is null and ra.role_id in (${everything})
        and exists (select from service_account_tokens t where t.service_account_id = a.id and t.expires_at > svc_now())
    ) as found`)) as unknown as { found: boolean }[];
  return row?.found === true;
}
