/** Removes what the explore database holds of who is gone, in bounded statements. */
import { sql } from "drizzle-orm";
import type { Db } from "../../platform/db/client.ts";

const BATCH = 5_000;

/** Idempotent. Findings about it go with the next computation of them. */
export async function purgeStack(explore: Db, stackKey: string): Promise<void> {
  // Without this row whoever still writes the stack's resources stops.
  await explore.execute(sql`delete from explore.stacks where stack_key = ${stackKey}`);
  await inBatches(() =>
    explore.execute(sql`
      delete from explore.resources where stack_key = ${stackKey} and address in (
        select address from explore.resources where stack_key = ${stackKey} limit ${BATCH})
      returning 1`),
  );
}

export async function purgeOrganization(explore: Db, orgId: string): Promise<void> {
  await explore.execute(sql`delete from explore.stacks where org_id = ${orgId}`);
  await inBatches(() =>
    explore.execute(sql`
      delete from explore.resources where (stack_key, address) in (
        select stack_key, address from explore.resources where org_id = ${orgId} limit ${BATCH})
      returning 1`),
  );
  await explore.execute(sql`delete from explore.findings where org_id = ${orgId}`);
}

async function inBatches(remove: () => Promise<{ length: number }>): Promise<void> {
  while ((await remove()).length === BATCH);
}
