/** A deployment that follows from another is the change of whoever made that one (docs/approvals.md#what-counts). */
import { sql } from "drizzle-orm";
import type { Tx } from "../../platform/db/client.ts";

/**
 * @param from what it follows from @param confirmed whether it is also that of who confirmed the other's plan: what an
 * apply leads to is, a retry is not
 */
export async function inheritMakers(tx: Tx, from: string, to: string, confirmed: boolean): Promise<void> {
  await tx.execute(sql`select inherit_makers(${from}::uuid, ${to}::uuid, ${confirmed}::boolean)`);
}
