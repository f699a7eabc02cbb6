/** What runs declared and nobody has read yet. */
import { type SQL, sql } from "drizzle-orm";

/**
 * Whether analyses of other stacks' runs are still to be read, as a condition inside another statement: one of them may
 * say that its stack depends on this one. What was asked for after `asOf` is of runs that ended later, and what failed
 * before is not waited for. By the index `org_tasks_unread_analyses`.
 */
export function unreadAnalyses({ org_id, stack_key }: { org_id: string; stack_key: string }, asOf: string): SQL {
  return sql`exists (select 1 from org_tasks t where t.org_id = ${org_id}::uuid and t.status = 'pending'
    and t.kind = 'dependency_graph_reconcile' and t.stack_key <> ${stack_key}::uuid and t.attempts = 0 and t.due_at <= ${asOf}::timestamptz)`;
}
