/** Which memberships count, and the lock of whoever changes who is a member of an organization. */
import { type SQL, sql } from "drizzle-orm";
import type { Queryable } from "../../platform/db/client.ts";

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
