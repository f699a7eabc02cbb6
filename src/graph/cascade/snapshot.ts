/**
 * The snapshot of an apply's dependents: all rows in one transaction, once
 * (docs/rules/graph.md#a-cascade-begins-with-an-apply). What is edited afterwards, or while an earlier try was cut
 * off, changes nothing about it.
 */
import { sql } from "drizzle-orm";
import { unreadAnalyses } from "../../core/deployments/unreadAnalyses.ts";
import { outputsChangedBy } from "../../core/outputs/outputs.ts";
import { endWaits, type WaitingStack, waitingStacks } from "../../core/outputs/waits.ts";
import type { Tx } from "../../platform/db/client.ts";
import type { SealedObjects } from "../../platform/objects/sealed.ts";
import type { Service } from "../../work/service.ts";
import { unitOfWork } from "../../work/unitOfWork.ts";
import type { Budgets } from "../analysis/budgets.ts";
import { type ChangedParts, changedParts } from "../analysis/changedParts.ts";
import { type DependentEdge, directDependents } from "../dependencies/edges.ts";
import { appliedChanges } from "./appliedChanges.ts";
import { type CascadeEdge, type DependentDecision, decideDependent, decideWaiting } from "./decideDependent.ts";
import { markResolved } from "./openTriggers.ts";
import type { ParentApply } from "./parentApply.ts";

export type SnapshotDeps = { service: Service; objects: Pick<SealedObjects, "getSealed">; budgets: Budgets };

/** Rows to one statement: some 300 kB of parameters. */
const ROWS = 1_000;

type Row = DependentDecision & { stackKey: string; createdAt: string };

/**
 * Write the rows unless they are written. An apply without dependents is resolved by that.
 * @returns the decisions this call stored, for the metric; empty when another had stored them.
 * @throws StorageUnavailableError
 */
export async function writeSnapshot(
  { service, objects, budgets }: SnapshotDeps,
  applied: ParentApply,
): Promise<DependentDecision[]> {
  if (await isWritten(service.db, applied.id)) return [];
  // Not in the transaction: an object store and a graph of many edges take their time.
  const changes = await appliedChanges(service.db, objects, applied.id);
  const changed = changedParts(changes, await outputsChangedBy(service.db, applied.id));
  const of = { orgId: applied.org_id, stackKey: applied.stack_key, asOf: applied.snapshot_at };
  // What was destroyed brings nothing, and the waiting goes on.
  const waiting = applied.mode === "destroy" ? [] : await waitingStacks(service.db, applied.stack_key);
  const rows = decided(applied, changed, await directDependents(service.db, of, budgets), waiting);
  return unitOfWork(service, async ({ tx }) => {
    // Of two at once the second waits here, and then finds the rows of the first.
    await tx.execute(sql`select 1 from deployments where id = ${applied.id} for no key update`);
    if (await isWritten(tx, applied.id)) return [];
    for (let from = 0; from < rows.length; from += ROWS) await insertRows(tx, applied, rows.slice(from, from + ROWS));
    await endWaits(tx, applied.stack_key, waiting);
    if (rows.length === 0) await markResolved(tx, applied.id);
    return rows;
  });
}

/** Whether the rows are not written, and readings of before the apply are due that may add to them. */
export async function isToBeRead(db: Pick<Tx, "execute">, applied: ParentApply): Promise<boolean> {
  const rows = await db.execute(sql`
    select 1 where ${unreadAnalyses(applied, applied.snapshot_at)}
      and not exists (select 1 from dependent_triggers where parent_deployment_id = ${applied.id})`);
  return rows.length > 0;
}

/** Who waits for outputs needs no edge, and no change: what it lacks was never there. */
function decided(
  applied: ParentApply,
  changed: ChangedParts,
  edges: readonly DependentEdge[],
  waiting: readonly WaitingStack[],
): Row[] {
  const parent = { stackKey: applied.stack_key, mode: applied.mode, path: applied.path, changed };
  const rows = [...Map.groupBy(edges, (edge) => edge.dependentStackKey)].map(([stackKey, own]) => ({
    stackKey,
    createdAt: (own[0] as DependentEdge).dependentCreatedAt,
    ...decideDependent(parent, stackKey, own.map(cascadeEdge)),
  }));
  const awaiting = waiting.map((stack) => ({ ...stack, ...decideWaiting(parent, stack.stackKey) }));
  const keys = new Set(awaiting.map(({ stackKey }) => stackKey));
  return [...rows.filter(({ stackKey }) => !keys.has(stackKey)), ...awaiting];
}

function cascadeEdge(edge: DependentEdge): CascadeEdge {
  return {
    dependentAddress: edge.dependentKind === "resource" ? edge.dependentId : null,
    dependencyAddress: edge.dependencyKind === "resource" ? edge.dependencyId : null,
    trigger: edge.trigger,
    declared: edge.declared,
    inferred: edge.inferred,
    onCycle: edge.onCycle,
    overBudget: edge.overBudget,
  };
}

async function isWritten(db: Pick<Tx, "execute">, parentId: string): Promise<boolean> {
  const rows = await db.execute(sql`select 1 from dependent_triggers where parent_deployment_id = ${parentId} limit 1`);
  return rows.length > 0;
}

/** Only stacks that were there when the apply ended; what was made since is none of its dependents. */
async function insertRows(tx: Tx, applied: ParentApply, rows: readonly Row[]): Promise<void> {
  await tx.execute(sql`
    insert into dependent_triggers (parent_deployment_id, dependent_stack_key, org_id, dependent_stack_created_at, trigger,
      demotion_reason, evidence, triggering_resources, triggering_remainder, skipped_reason, due_at)
    select ${applied.id}::uuid, r."stackKey", ${applied.org_id}::uuid, r."createdAt", r.trigger, r."demotionReason", r.evidence,
      r."triggeringResources", r."triggeringRemainder", r."skippedReason", ${applied.snapshot_at}::timestamptz
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r ("stackKey" uuid, "createdAt" timestamptz, trigger text,
      "demotionReason" text, evidence text, "triggeringResources" jsonb, "triggeringRemainder" integer, "skippedReason" text)
    where r."createdAt" <= ${applied.snapshot_at}::timestamptz`);
}
