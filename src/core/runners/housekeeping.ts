/**
 * What a Schedule removes each minute: runner rows that nobody uses (docs/rules/runs.md#runner-rows). Each statement
 * works on one indexed batch, so a backlog never makes a long transaction.
 */
import { sql } from "drizzle-orm";
import type { Tx } from "../../platform/db/client.ts";
import type { Service } from "../../work/service.ts";
import type { Timeouts } from "../../work/timeouts.ts";
import { HOLDS, removeIdle } from "./removeRunner.ts";

const BATCH = 500;

export type Housekeeping = { runners: number };

/** Remove everything that is due; safe to run at once in several processes. @returns rows removed */
export async function housekeep({ db, timeouts }: Pick<Service, "db" | "timeouts">): Promise<Housekeeping> {
  return { runners: await inBatches(() => db.transaction((tx) => removeRunnerBatch(tx, timeouts))) };
}

async function inBatches(removeBatch: () => Promise<number>): Promise<number> {
  let total = 0;
  for (;;) {
    const removed = await removeBatch();
    total += removed;
    if (removed < BATCH) return total;
  }
}

/**
 * Never accepted: by creation, against the assignment timeout. Accepted once: by the last call, against the execution
 * timeout. Never one that holds a run; a run that a transition has locked right now is left for the next minute.
 */
async function removeRunnerBatch(tx: Tx, { assignmentMs, executionMs }: Timeouts): Promise<number> {
  const locked = await tx.execute<{
    id: string;
  }>(sql`
    with due as materialized (
      (select s.id, s.run_id from runners s
        where s.status in ('not-ready', 'ready') and s.created_at < svc_now() - ${assignmentMs}::float8 * interval '1 millisecond'
          and not exists (select from runs r where r.assigned_runner_id = s.id and ${HOLDS})
        order by s.created_at limit ${BATCH}::int)
      union all
      (select s.id, s.run_id from runners s
        where s.status in ('busy', 'finished', 'failed', 'gone')
          and s.last_seen_at < svc_now() - ${executionMs}::float8 * interval '1 millisecond'
          and not exists (select from runs r where r.assigned_runner_id = s.id and ${HOLDS})
        order by s.last_seen_at limit ${BATCH}::int)
    )
    select due.id from due join runs r on r.id = due.run_id for no key update of r skip locked`);
  if (locked.length === 0) return 0;
  const ids = JSON.stringify(locked.map((row) => row.id));
  return removeIdle(tx, sql`id in (select value::uuid from jsonb_array_elements_text(${ids}::jsonb))`);
}
