/** A deployment as its workflow sees it: ids, enums and the time until something is due, never a fact of its own. */
import { sql } from "drizzle-orm";
import type { DeploymentView, WaitingFor } from "../../../workflows/views.ts";
import type { Queryable } from "../../platform/db/client.ts";
import type { SqlRow } from "../../platform/db/sqlRow.ts";
import { rfc3339 } from "../../platform/time/time.ts";
import type { Timeouts } from "../../work/timeouts.ts";
import { type DeploymentStatus, isTerminal } from "./lifecycle.ts";
import type { deployments } from "./schema.ts";

type Row = SqlRow<typeof deployments, "status" | "mode"> & {
  stack: string;
  since: string | null;
  deadline_ms: string | null;
  evaluation_id: string | null;
};

const GONE: DeploymentView = {
  found: false,
  terminal: true,
  status: "absent",
  mode: "plan",
  stack: "",
  waitingFor: null,
  since: null,
  deadlineMs: null,
  evaluationId: null,
};

/** Read a deployment for its workflow, which is awake from now on; a missing row reads as terminal. One statement. */
export async function deploymentView(db: Queryable, timeouts: Timeouts, id: string): Promise<DeploymentView> {
  const [row] = await db.execute<Row>(sql`
    with woken as (update deployments set woken_at = svc_now() where id = ${id} and woken_at is null)
    select d.status, d.mode, s.slug as stack,
      coalesce(d.completed_at, d.cancel_requested_at, d.waiting_since,
        (select max(g.created_at) from stages g where g.deployment_id = d.id)) as since,
      ceil(extract(epoch from next_deadline(d, ${JSON.stringify(timeouts)}::jsonb) - svc_now()) * 1000) as deadline_ms,
      (select e.id from deployment_gates g join policy_evaluations e on e.plan_run_id = g.plan_run_id and e.status = 'pending'
        where g.deployment_id = d.id and g.gate = 'policy' and d.status = 'waiting') as evaluation_id
    from deployments d join stacks s using (stack_key) where d.id = ${id}`);
  if (!row) return GONE;
  return {
    found: true,
    terminal: isTerminal(row.status),
    status: row.status,
    mode: row.mode,
    stack: row.stack,
    waitingFor: row.evaluation_id === null ? awaitedIn(row.status) : "policies",
    since: rfc3339(row.since),
    deadlineMs: row.deadline_ms === null ? null : Math.max(Number(row.deadline_ms), 0),
    evaluationId: row.evaluation_id,
  };
}

/** What a deployment of this status waits for, in one word; null once it is over. */
export function awaitedIn(status: DeploymentStatus): WaitingFor | null {
  if (status === "queued") return "lane";
  if (status === "waiting") return "person";
  if (status === "requested_cancellation" || status === "cancelling") return "cancellation";
  return isTerminal(status) ? null : "run";
}
