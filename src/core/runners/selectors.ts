/**
 * Keeping the (group, selector) table that a claim reads instead of matching labels
 * (docs/rules/dispatch.md#selectors).
 */
import { sql } from "drizzle-orm";
import type { Tx } from "../../platform/db/client.ts";
import type { SqlRow } from "../../platform/db/sqlRow.ts";
import type { Work } from "../../work/unitOfWork.ts";
import type { groupSelectors } from "./schema.ts";

/**
 * First statement of whoever writes a group, a new selector or the default group: one writer at a time in an
 * organization, so that no two recompute from halves of each other's rows.
 */
export async function lockSelectors(tx: Tx, orgId: string): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('selectors:' || ${orgId}, 0))`);
}

/**
 * Recompute which groups serve which selectors, and wake the pollers of every selector of the group that has runs to
 * claim.
 */
export async function rematch(
  { tx, pendingSelectors }: Pick<Work, "tx" | "pendingSelectors">,
  orgId: string,
  groupId: string | null,
): Promise<void> {
  await tx.execute(sql`select match_selectors(${orgId}::uuid)`);
  if (groupId === null) return;
  const rows = await tx.execute<SqlRow<typeof groupSelectors, "selector_id">>(sql`
    select gs.selector_id from group_selectors gs where gs.group_id = ${groupId}::uuid
      and exists (select 1 from runs r where r.selector_id = gs.selector_id and r.status = 'pending')`);
  for (const row of rows) pendingSelectors.add(row.selector_id);
}
