/**
 * What is computed from an organization's whole graph: which stacks lie on a cycle. Kept per organization for as long
 * as its version stands (triggers raise it with every change), so that a page costs one small statement and not the
 * graph.
 *
 * The graph comes out of the database as numbers in two byte strings, and is walked in a thread when it is large:
 * neither 200,000 rows nor the walk ever hold the event loop.
 */
import { sql } from "drizzle-orm";
import { LRUCache } from "lru-cache";
import type { Queryable } from "../../platform/db/client.ts";
import type { SqlRow } from "../../platform/db/sqlRow.ts";
import { BUDGET_NAMES, type BudgetName, type Budgets } from "../analysis/budgets.ts";
import { type Components, components } from "../analysis/components.ts";
import { inThread } from "../analysis/thread.ts";
import type { dependencyOrgs } from "./schema.ts";

export type Graph = {
  version: string;
  /** Both are counted up to one more than their budget. */
  edges: number;
  pairs: number;
  /** The budget that is exceeded: then nothing is known about cycles. */
  exceeded: BudgetName | null;
  /** Keys of live stacks, 16 bytes each, in order; a stack's place is its node. */
  keys: Buffer;
  /** `parent, dependent, ...` as nodes, of pairs that can trigger. */
  stackPairs: Int32Array;
  components: Components;
};

/** Walking fewer pairs takes less time than asking a thread. */
export const THREAD_FROM_PAIRS = 50_000;
/** Bytes of graphs kept. */
const KEPT_BYTES = 64 * 1_024 * 1_024;

/**
 * Of each organization the newest. Not a cache that reads by itself: what is kept is only right for one version and for
 * the budgets it was read with, and a reader of a newer version must not wait for the read of an older one.
 */
const kept = new LRUCache<string, { version: string; budgets: string; graph: Promise<Graph> }>({ maxSize: KEPT_BYTES });

/** One statement while nothing changed, else two. */
export async function graphOf(db: Queryable, orgId: string, budgets: Budgets): Promise<Graph> {
  const [row] = await db.execute<SqlRow<typeof dependencyOrgs, "version">>(
    sql`select version::text from dependency_orgs where org_id = ${orgId}::uuid`,
  );
  const version = row?.version ?? "0";
  const limits = `${budgets.maxOrgEdges}/${budgets.maxOrgStackPairs}`;
  const known = kept.get(orgId);
  if (known?.version === version && known.budgets === limits) {
    // Who reads it may do so in a transaction that fails; then it is read here.
    const graph = await known.graph.catch(() => null);
    if (graph !== null) return graph;
  }
  const graph = readGraph(db, orgId, version, budgets);
  const entry = { version, budgets: limits, graph };
  kept.set(orgId, entry, { size: 1 });
  try {
    const read = await graph;
    // A copy: the cache takes a new size only with another value. One that fills it is kept alone.
    if (kept.peek(orgId) === entry) kept.set(orgId, { ...entry }, { size: Math.min(bytesOf(read), KEPT_BYTES) });
    return read;
  } catch (error) {
    if (kept.peek(orgId) === entry) kept.delete(orgId);
    throw error;
  }
}

function bytesOf({ keys, stackPairs, components: { of } }: Graph): number {
  return Math.max(keys.length + stackPairs.byteLength + of.byteLength, 1);
}

type GraphRow = { edges: number; pairs: number; keys: Buffer | null; stackPairs: Buffer | null };

async function readGraph(db: Queryable, orgId: string, version: string, budgets: Budgets): Promise<Graph> {
  const [row] = await db.execute<GraphRow>(sql`
    select edges, pairs, keys, stack_pairs as "stackPairs"
    from dependency_graph(${orgId}::uuid, ${budgets.maxOrgEdges}::int, ${budgets.maxOrgStackPairs}::int)`);
  const { edges, pairs } = row!;
  const exceeded = exceededBudget({ edges, pairs }, budgets);
  const keys = row!.keys ?? Buffer.alloc(0);
  const stackPairs = int32s(row!.stackPairs ?? Buffer.alloc(0));
  return { version, edges, pairs, exceeded, keys, stackPairs, components: await walk(keys.length / 16, stackPairs) };
}

function exceededBudget(counted: { edges: number; pairs: number }, budgets: Budgets): BudgetName | null {
  if (counted.edges > budgets.maxOrgEdges) return BUDGET_NAMES.maxOrgEdges;
  if (counted.pairs > budgets.maxOrgStackPairs) return BUDGET_NAMES.maxOrgStackPairs;
  return null;
}

/** From the network's byte order; the result has memory of its own. */
function int32s(bytes: Buffer): Int32Array {
  const swapped = Buffer.from(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length)).swap32();
  return new Int32Array(swapped.buffer, swapped.byteOffset, swapped.length / 4);
}

function walk(nodeCount: number, pairs: Int32Array): Components | Promise<Components> {
  if (pairs.length / 2 <= THREAD_FROM_PAIRS) return components(nodeCount, pairs);
  return inThread("components", { nodeCount, pairs });
}
