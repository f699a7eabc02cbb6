/** Removes what a deleted stack left in the graph; what was inferred for others from it is computed anew. */
import { sql } from "drizzle-orm";
import type { Db } from "../../platform/db/client.ts";
import { lockIdentities, markReaders } from "./storeAnalysis.ts";

const ROWS = 1_000;

/** In bounded steps; a repeat goes on. @returns whether nothing is left */
export async function purgeStack(db: Db, orgId: string, stackKey: string, stop: () => boolean): Promise<boolean> {
  for (let left = true; left; ) {
    if (stop()) return false;
    left = await removeIdentities(db, orgId, stackKey);
  }
  for (let left = true; left; ) {
    if (stop()) return false;
    const { length } = await db.execute(sql`
      delete from dependency_edges where id in (
        select id from dependency_edges where dependent_stack_key = ${stackKey}::uuid limit ${ROWS}::integer)
      returning 1`);
    left = length === ROWS;
  }
  await db.execute(sql`delete from dependency_state where stack_key = ${stackKey}::uuid`);
  return true;
}

/** @returns whether there may be more */
function removeIdentities(db: Db, orgId: string, stackKey: string): Promise<boolean> {
  return db.transaction(async (tx) => {
    await lockIdentities(tx, orgId);
    const [{ count }] = (await tx.execute(sql`
      select count(*)::integer as count from (
        select 1 from stack_resource_identities where stack_key = ${stackKey}::uuid limit ${ROWS}::integer) i`)) as unknown as [
      { count: number },
    ];
    await tx.execute(sql`
      with changed as (
        delete from stack_resource_identities where (stack_key, address) in (
          select stack_key, address from stack_resource_identities where stack_key = ${stackKey}::uuid limit ${ROWS}::integer)
        returning mode, identity_hash
      )
      ${markReaders(orgId, sql`select null::uuid where false`)}`);
    return count === ROWS;
  });
}
