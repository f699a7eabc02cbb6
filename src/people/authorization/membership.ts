/** Which memberships count, and the lock of whoever changes who is a member of an organization. */
import { type SQL, sql } from "drizzle-orm";
import type { Queryable, Tx } from "../../platform/db/client.ts";
import { ForbiddenError } from "./authorize.ts";

/** Over `memberships m`: it counts, as of now. */
export const UNEXPIRED: SQL = sql`(m.expires_at is null or m.expires_at > svc_now())`;

/**
 * Hold the per-organization locks until the end of the transaction. Always in the order of their ids, so that two
 * sign-ins into the same organizations never wait for each other.
 * @returns those that exist, in that order
 */
export async function lockSeats(tx: Queryable, orgIds: readonly string[]): Promise<string[]> {
  if (orgIds.length === 0) return [];
  const rows = await tx.execute<{ id: string }>(sql`
    select id from organizations where id = any(${sql.param([...orgIds])}::uuid[])
    order by id for no key update`);
  return rows.map((row) => row.id);
}

/**
 * The gate of lasting credentials (docs/rules/credentials.md#a-personal-token-is-bound). The row stays until the end of
 * the transaction, so that a revocation at the same time either finds the new credential and ends it, or is found here.
 * @throws ForbiddenError
 */
export async function holdMembership(tx: Tx, userId: string, orgId: string): Promise<void> {
  const member = await tx.execute(sql`
    select from memberships m where m.user_id = ${userId} and m.org_id = ${orgId}::uuid and ${UNEXPIRED} for share`);
  if (member.length > 0) return;
  const superAdmin = await tx.execute(sql`
    select from users u, organizations o where u.id = ${userId} and u.is_super_admin and o.id = ${orgId}::uuid`);
  if (superAdmin.length === 0) throw new ForbiddenError("You are not a member of this organization.");
}

/** Those of the organizations that a person is a member of now. */
export async function memberOf(db: Queryable, userId: string, orgIds: readonly string[]): Promise<string[]> {
  if (orgIds.length === 0) return [];
  const rows = await db.execute<{ org_id: string }>(sql`
    select m.org_id from memberships m
    where m.user_id = ${userId} and m.org_id = any(${sql.param([...orgIds])}::uuid[]) and ${UNEXPIRED}`);
  return rows.map((row) => row.org_id);
}
