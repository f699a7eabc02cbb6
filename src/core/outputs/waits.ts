/**
 * Stacks whose plan lacks what another stack has not applied yet. That stack's apply deploys them, whatever the
 * dependency graph knows of them: their declaration was never applied (docs/outputs.md#when-something-is-missing).
 */
import { sql } from "drizzle-orm";
import type { Queryable } from "../../platform/db/client.ts";

/**
 * The stack of run `runId` waits for these. Their rows are locked as an apply's end locks them: it sees the word, or is
 * over when this returns.
 */
export async function leaveWord(db: Queryable, runId: string, stackKeys: readonly string[]): Promise<void> {
  await db.execute(sql`
    with awaited as (
      select stack_key from stacks where stack_key = any (${`{${stackKeys.join(",")}}`}::uuid[]) and deleted_at is null
      order by stack_key for share)
    insert into output_waits (stack_key, awaited_key, org_id)
    select d.stack_key, a.stack_key, d.org_id
    from runs r join deployments d on d.id = r.deployment_id cross join awaited a where r.id = ${runId}
    on conflict do nothing`);
}

/** It has everything. */
export async function takeWordBack(db: Queryable, runId: string): Promise<void> {
  await db.execute(sql`
    delete from output_waits w using runs r join deployments d on d.id = r.deployment_id
    where r.id = ${runId} and w.stack_key = d.stack_key`);
}

export type WaitingStack = { stackKey: string; createdAt: string };

/** Who waits for an apply of this stack. */
export async function waitingStacks(db: Queryable, awaitedKey: string): Promise<WaitingStack[]> {
  return db.execute<WaitingStack>(sql`
    select w.stack_key as "stackKey", s.created_at as "createdAt"
    from output_waits w join stacks s on s.stack_key = w.stack_key where w.awaited_key = ${awaitedKey}`);
}

/** Their deployments are on the way. */
export async function endWaits(db: Queryable, awaitedKey: string, waiting: readonly WaitingStack[]): Promise<void> {
  if (waiting.length === 0) return;
  const keys = waiting.map(({ stackKey }) => stackKey);
  await db.execute(sql`
    delete from output_waits where awaited_key = ${awaitedKey} and stack_key = any (${`{${keys.join(",")}}`}::uuid[])`);
}
