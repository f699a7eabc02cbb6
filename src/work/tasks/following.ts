/**
 * The background work that follows from a domain event, asked for in the transaction that causes it
 * (docs/rules/workflows.md#background-tasks).
 */
import { sql } from "drizzle-orm";
import type { Tx } from "../../platform/db/client.ts";
import type { DomainEvent } from "../domainEvent.ts";
import type { OutboxMessage } from "../message.ts";
import { enqueueTasks, FINDINGS_DELAY_MS } from "./enqueue.ts";
import type { TaskKind } from "./taskKind.ts";

/** Modes of deployments whose end says what the stack is. */
const ANALYZED_MODES: readonly string[] = ["plan", "destroy", "refresh"];
/** What reads a run's analysis. */
const AFTER_ANALYSIS: readonly TaskKind[] = ["dependency_graph_reconcile", "resource_index_reconcile"];
/** What reads a state that no plan and apply of the service made. */
const AFTER_STATE: readonly TaskKind[] = ["resource_index_reconcile"];
/** What forgets a stack. */
const AFTER_DELETION: readonly TaskKind[] = ["dependency_graph_reconcile", "explore_purge"];

export async function followingTasks(event: DomainEvent, tx: Tx): Promise<OutboxMessage[]> {
  const { orgId, stackKey } = event;
  const messages: OutboxMessage[] = [];
  if (stackKey === null) return messages;
  if (await namesChange(tx, event)) {
    await enqueueTasks(tx, messages, [{ orgId, kind: "org_findings_rebuild", delayMs: FINDINGS_DELAY_MS }]);
  }
  const kinds = await followingKinds(tx, event);
  await enqueueTasks(
    tx,
    messages,
    kinds.map((kind) => ({ orgId, kind, stackKey })),
  );
  return messages;
}

/** Whether a declaration names a stack by an id that is now another stack's, or nobody's. */
async function namesChange(tx: Tx, { name, orgId, data }: DomainEvent): Promise<boolean> {
  if (name !== "stack_created" && name !== "stack_renamed") return false;
  const ids = [data.stack_id, data.previous_stack_id].filter((id) => typeof id === "string");
  const named = await tx.execute(sql`
    select from dependency_edges where org_id = ${orgId} and dependency_stack_slug = any(${sql.param(ids)}::text[]) limit 1`);
  return named.length > 0;
}

async function followingKinds(tx: Tx, { name, deploymentId, runId, data }: DomainEvent): Promise<readonly TaskKind[]> {
  if (name === "stack_deleted") return AFTER_DELETION;
  if (name === "state_changed") return AFTER_STATE;
  if (name === "deployment_succeeded" && data.mode === "raw") {
    const changed = await tx.execute(sql`
      select from state_versions v join runs r on r.id = v.run_id where r.deployment_id = ${deploymentId}::uuid limit 1`);
    return changed.length > 0 ? AFTER_STATE : [];
  }
  if (name !== "deployment_succeeded" || runId === null || !ANALYZED_MODES.includes(String(data.mode))) return [];
  const stored = await tx.execute(sql`select from artifacts where run_id = ${runId} and kind = 'analysis'`);
  return stored.length > 0 ? AFTER_ANALYSIS : [];
}
