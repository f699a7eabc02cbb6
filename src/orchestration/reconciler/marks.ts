/**
 * What one reconciler pass saw and the next one acts on: a fault is poked first and mended by force only if it stays.
 */
import { sql } from "drizzle-orm";
import type { Db } from "../../platform/db/client.ts";
import type { Mark } from "./schema.ts";

type Seen = { workflowId: string; runId: string };

/** Two passes may follow each other closely after a restart; a poke needs this long to show. */
const ACT_AFTER = "1 minute";

/**
 * Note that this execution was seen so. True when it was seen so before, long enough ago to act by force. Another
 * execution of the same workflow begins anew.
 */
export async function setMark(db: Db, kind: Mark, { workflowId, runId }: Seen): Promise<boolean> {
  const [row] = (await db.execute(sql`
    insert into reconciler_sightings as s (workflow_id, kind, execution_run_id) values (${workflowId}, ${kind}, ${runId})
    on conflict (workflow_id, kind) do update set
      seen_at = case when s.execution_run_id = excluded.execution_run_id then s.seen_at else excluded.seen_at end,
      execution_run_id = excluded.execution_run_id
    returning seen_at <= svc_now() - ${ACT_AFTER}::interval as "actNow"`)) as unknown as [{ actNow: boolean }];
  return row.actNow;
}

/** Forget what this pass did not see again. */
export async function clearOtherMarks(db: Db, kind: Mark, seen: readonly string[]): Promise<void> {
  await db.execute(sql`
    delete from reconciler_sightings where kind = ${kind}
      and workflow_id not in (select jsonb_array_elements_text(${JSON.stringify(seen)}::jsonb))`);
}
