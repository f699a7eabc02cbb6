/** A run as its lease workflow sees it. */
import { sql } from "drizzle-orm";
import type { RunView } from "../../../workflows/views.ts";
import type { Queryable } from "../../platform/db/client.ts";
import type { SqlRow } from "../../platform/db/sqlRow.ts";
import type { Timeouts } from "../../work/timeouts.ts";
import { isAccepted } from "./lifecycle.ts";
import type { runs } from "./schema.ts";

type Row = SqlRow<typeof runs, "status" | "kind"> & { deadline_ms: string | null };

/** Read a run for its lease, which is awake from now on; a missing row reads as not live. One statement. */
export async function runView(db: Queryable, timeouts: Timeouts, id: string): Promise<RunView> {
  const [row] = await db.execute<Row>(sql`
    with woken as (update runs set lease_woken_at = svc_now() where id = ${id} and lease_woken_at is null)
    select r.status, r.kind,
      ceil(extract(epoch from next_deadline(r, ${JSON.stringify(timeouts)}::jsonb) - svc_now()) * 1000) as deadline_ms
    from runs r where r.id = ${id}`);
  if (!row) return { found: false, live: false, status: "absent", kind: "plan_run", deadlineMs: null };
  return {
    found: true,
    live: row.status === "assigned" || isAccepted(row.status),
    status: row.status,
    kind: row.kind,
    deadlineMs: row.deadline_ms === null ? null : Math.max(Number(row.deadline_ms), 0),
  };
}
