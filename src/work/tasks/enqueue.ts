/**
 * Asks for background work inside the causing transaction; its commit wakes the workflow
 * (docs/rules/workflows.md#background-tasks).
 */
import { sql } from "drizzle-orm";
import type { Tx } from "../../platform/db/client.ts";
import type { OutboxMessage } from "../message.ts";
import type { TaskKind } from "./taskKind.ts";

/** Findings are computed once for all that changes within this time. */
export const FINDINGS_DELAY_MS = 5_000;

export type TaskRequest = {
  orgId: string;
  kind: TaskKind;
  /** Of kinds about one stack. */
  stackKey?: string;
  /** Begin no sooner than this many milliseconds from now, so that what is asked for again meanwhile is done once. */
  delayMs?: number;
};

/**
 * A task that waits already stays the one it is; one that has begun gets another round after the present one. Locks the
 * task's row, so it belongs at the end of a transaction.
 */
export async function enqueueTask(tx: Tx, messages: OutboxMessage[], request: TaskRequest): Promise<void> {
  await enqueueTasks(tx, messages, [request]);
}

/** Several in one statement. @throws nothing of its own; the same subject twice is one request */
export async function enqueueTasks(tx: Tx, messages: OutboxMessage[], requests: readonly TaskRequest[]): Promise<void> {
  if (requests.length === 0) return;
  // In one order everywhere, so that two that ask for the same tasks do not lock each other out.
  await tx.execute(sql`
    insert into org_tasks as t (org_id, kind, stack_key, due_at)
    select distinct on (kind, coalesce("stackKey", "orgId")) "orgId", kind, "stackKey",
      svc_now() + coalesce("delayMs", 0) * interval '1 millisecond'
    from jsonb_to_recordset(${JSON.stringify(requests)}::jsonb)
      as r("orgId" uuid, kind text, "stackKey" uuid, "delayMs" float8)
    order by kind, coalesce("stackKey", "orgId")
    on conflict (kind, subject_key) do update set
      requested = t.requested + 1, status = 'pending', completed_at = null,
      attempts = case t.status when 'done' then 0 else t.attempts end,
      due_at = case t.status when 'done' then excluded.due_at else t.due_at end`);
  for (const { orgId, kind, stackKey } of requests)
    messages.push({ kind: "taskRequested", orgId, task: kind, stackKey: stackKey ?? null });
}
