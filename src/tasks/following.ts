/** The background work that follows from a domain event, asked for in the transaction that causes it (spec 6.4). */
import { sql } from "drizzle-orm";
import type { Work } from "../db/unitOfWork.ts";
import type { DomainEvent } from "../events/domainEvent.ts";
import { ANALYZED_MODES } from "../runs/newestAnalysis.ts";
import { enqueueTasks } from "./enqueue.ts";
import type { TaskKind } from "./kinds.ts";

/** What reads a run's analysis. */
const AFTER_ANALYSIS: readonly TaskKind[] = ["dependency_graph_reconcile", "resource_index_reconcile"];
/** What forgets a stack. */
const AFTER_DELETION: readonly TaskKind[] = ["dependency_graph_reconcile", "explore_purge"];

export async function enqueueFollowing(
  { tx, messages }: Pick<Work, "tx" | "messages">,
  event: DomainEvent,
): Promise<void> {
  const kinds = await followingKinds(tx, event);
  const { orgId, stackKey } = event;
  if (stackKey === null) return;
  await enqueueTasks(
    tx,
    messages,
    kinds.map((kind) => ({ orgId, kind, stackKey })),
  );
}

async function followingKinds(tx: Work["tx"], { name, runId, data }: DomainEvent): Promise<readonly TaskKind[]> {
  if (name === "stack_deleted") return AFTER_DELETION;
  if (name !== "deployment_succeeded" || runId === null || !ANALYZED_MODES.includes(String(data.mode))) return [];
  const stored = await tx.execute(sql`select from artifacts where run_id = ${runId} and kind = 'analysis'`);
  return stored.length > 0 ? AFTER_ANALYSIS : [];
}
