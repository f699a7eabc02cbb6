/**
 * Removing runner rows: never one that holds a run (docs/rules/runs.md#runner-rows). Whether it does is read under
 * the run's lock, taken in an earlier statement, since an accept at the same moment would else be left with a run
 * that names no runner.
 */
import { type SQL, sql } from "drizzle-orm";
import type { Db, Queryable, Tx } from "../../platform/db/client.ts";

/** A runner holds a run that runs, is being cancelled, or is assigned with its lease unexpired. Over `runs r`. */
export const HOLDS: SQL = sql`(r.status in ('running', 'requested_cancellation', 'cancelling')
  or (r.status = 'assigned' and r.assigned_expires_at > svc_now()))`;

/** False when it holds a run; true when it is gone now. `removing` is part of the removal. */
export async function removeRunner(db: Db, runnerId: string, removing?: (tx: Tx) => Promise<void>): Promise<boolean> {
  return db.transaction(async (tx) => {
    await tx.execute(sql`
      select 1 from runs where id = (select run_id from runners where id = ${runnerId}) for no key update`);
    const removed = await removeIdle(tx, sql`id = ${runnerId}`);
    if (removed > 0) {
      await removing?.(tx);
      return true;
    }
    const left = await tx.execute(sql`select 1 from runners where id = ${runnerId}`);
    return left.length === 0;
  });
}

/** Delete the rows of `runners` that `which` names and that hold no run; the caller holds the locks of their runs. */
export async function removeIdle(tx: Queryable, which: SQL): Promise<number> {
  const removed = await tx.execute(sql`
    delete from runners where ${which}
      and not exists (select from runs r where r.assigned_runner_id = runners.id and ${HOLDS})
    returning 1`);
  return removed.length;
}
