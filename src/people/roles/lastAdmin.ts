/**
 * An organization that has an Admin keeps one: without, only a super-admin could give anybody any right in it again. An
 * Admin here is whoever may do everything: an enabled member, by assignment or by a sign-in binding, or an enabled
 * service account with a valid token.
 */
import { sql } from "drizzle-orm";
import type { Tx } from "../../platform/db/client.ts";
import { ProblemError } from "../../platform/problems/problem.ts";
import { countedRoles } from "../authorization/grants.ts";
import { lockSeats, UNEXPIRED } from "../authorization/membership.ts";
import { MINTER_GONE_FOR } from "../credentials/minterGone.ts";

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
 * Carry out a write that may take rights away, under the organization's lock. Super-admins may do it anyway: they can
 * repair it.
 * @throws LastAdminError when there was an Admin before it and there is none after
 */
export function keepingAnAdmin<T>(
  tx: Tx,
  { orgId, superAdmin }: { orgId: string; superAdmin: boolean },
  write: () => Promise<T>,
): Promise<T> {
  return keepingAdmins(tx, { orgIds: [orgId], superAdmin }, write);
}

/** The same for a write that concerns several organizations, under the locks of all. @throws LastAdminError */
export async function keepingAdmins<T>(
  tx: Tx,
  { orgIds, superAdmin }: { orgIds: readonly string[]; superAdmin: boolean },
  write: () => Promise<T>,
): Promise<T> {
  await lockSeats(tx, orgIds);
  const administered: string[] = [];
  for (const orgId of superAdmin ? [] : orgIds) if (await hasAdmin(tx, orgId)) administered.push(orgId);
  const result = await write();
  for (const orgId of administered) if (!(await hasAdmin(tx, orgId))) throw new LastAdminError();
  return result;
}

/** Begins at the few roles and bindings that confer everything, so that many members cost nothing. */
async function hasAdmin(tx: Tx, orgId: string): Promise<boolean> {
  const [row] = await tx.execute<{ found: boolean }>(sql`
    with everything as materialized (
      select p.role_id from role_permissions p join roles r on r.id = p.role_id
      where (r.org_id is null or r.org_id = ${orgId}) and p.resource_type = '*' and p.action = '*'
        and p.resource_pattern is null and p.authz_group is null
    ), conferring as materialized (
      select s.provider_key, s.oidc_issuer, s.oidc_client_id, s.oidc_groups_claim, b.group_key
      from identity_sources s join group_role_bindings b on b.identity_source_id = s.id
      where s.org_id = ${orgId} and s.enabled and exists (
        select from (${countedRoles(sql`b.id`)}) t where t.role_id in (select role_id from everything))
    )
    select exists (
      select from role_assignments ra join memberships m on m.user_id = ra.user_id and m.org_id = ra.org_id
        join users u on u.id = m.user_id
      where ra.org_id = ${orgId} and ra.role_id in (select role_id from everything) and ${UNEXPIRED} and u.disabled_at is null
    ) or exists (
      select from role_assignments ra join service_accounts a on a.id = ra.service_account_id and a.org_id = ra.org_id
      where ra.org_id = ${orgId} and ra.role_id in (select role_id from everything) and a.disabled_at is null
        and exists (select from service_account_tokens t where t.service_account_id = a.id and t.expires_at > svc_now()
          and t.permissions @> '[{"resource_type": "*", "action": "*", "resource_pattern": null, "authz_group": null}]'
          and (t.minter_left_at is null or t.minter_left_at > svc_now() - ${MINTER_GONE_FOR}))
    ) or exists (
      select from conferring c join external_entitlements e on e.provider_key = c.provider_key and e.issuer = c.oidc_issuer
          and e.client_id = c.oidc_client_id and e.groups_claim = c.oidc_groups_claim and e.group_key = c.group_key
        join memberships m on m.user_id = e.user_id and m.org_id = ${orgId} join users u on u.id = m.user_id
      where e.expires_at > svc_now() and ${UNEXPIRED} and u.disabled_at is null
    ) as found`);
  return row?.found === true;
}
