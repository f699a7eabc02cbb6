/** What policies said of a deployment's plans, as people read it. */
import { sql } from "drizzle-orm";
import { byCreation, type ListQuery, listPage } from "../../http/listQuery.ts";
import type { Queryable } from "../../platform/db/client.ts";
import { rfc3339 } from "../../platform/time/time.ts";
import type { PolicyEvaluation } from "./answer.ts";

export const EVALUATION_LIST = byCreation("e");

/** Newest first. The caller has authorized it. */
export async function listEvaluations(
  db: Queryable,
  deploymentId: string,
  query: ListQuery,
): Promise<{ items: PolicyEvaluation[]; next_cursor: string | null }> {
  const list = listPage(query, EVALUATION_LIST);
  const rows = await db.execute<PolicyEvaluation & { sort_value: string }>(sql`
    select e.id, e.plan_run_id, e.status, e.outcome, e.results, e.requested_by, e.created_at, e.completed_at,
      e.overridden_by, e.overridden_at, e.override_reason, ${list.sortValue}
    from policy_evaluations e where e.deployment_id = ${deploymentId} and ${list.after}
    order by ${list.orderBy} limit ${list.limit}`);
  const { items, next_cursor } = list.cut(rows, ({ id }) => id);
  return {
    items: items.map(({ sort_value: _value, ...row }) => ({
      ...row,
      created_at: rfc3339(row.created_at),
      completed_at: rfc3339(row.completed_at),
      overridden_at: rfc3339(row.overridden_at),
    })),
    next_cursor,
  };
}
