/**
 * What is computed from an organization's whole graph: which stacks lie on a cycle. Kept per organization for as long as
 * its version stands (triggers raise it with every change), so that a page costs one small statement and not the graph.
 *
 * The graph comes out of the database as numbers in two byte strings, and is walked in a thread when it is large: neither
 * 200,000 rows nor the walk ever hold the event loop.
 */
import { sql } from "drizzle-orm";
import type { Queryable } from "../db/client.ts";
import { BUDGET_NAMES, type BudgetName, type Budgets } from "./budgets.ts";
import { type Components, components } from "./components.ts";
import { shortestCycle } from "./cycle.ts";
import { inThread } from "./thread.ts";

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
const THREAD_FROM_PAIRS = 50_000;
/** Bytes of graphs kept. */
const KEPT_BYTES = 64 * 1_024 * 1_024;

const kept = new Map<string, { version: string; budgets: string; graph: Promise<Graph>; bytes: number }>();

/** One statement while nothing changed, else two. */
export async function graphOf(db: Queryable, orgId: string, budgets: Budgets): Promise<Graph> {
  const [row] = (await db.execute(
    sql`select version::text from dependency_orgs where org_id = ${orgId}::uuid`,
  )) as unknown as { version: string }[];
  const version = row?.version ?? "0";
  const limits = `${budgets.maxOrgEdges}/${budgets.maxOrgStackPairs}`;
  const known = kept.get(orgId);
  if (known?.version === version && known.budgets === limits) {
    // Who reads it may do so in a transaction that fails; then it is read here.
    const graph = await known.graph.catch(() => null);
    if (graph !== null) return graph;
  }
  const graph = readGraph(db, orgId, version, budgets);
  const entry = { version, budgets: limits, graph, bytes: 0 };
  kept.set(orgId, entry);
  try {
    const read = await graph;
    entry.bytes = read.keys.length + read.stackPairs.byteLength + read.components.of.byteLength;
    forgetOldest();
    return read;
  } catch (error) {
    if (kept.get(orgId) === entry) kept.delete(orgId);
    throw error;
  }
}

function forgetOldest(): void {
  let bytes = [...kept.values()].reduce((sum, entry) => sum + entry.bytes, 0);
  for (const [orgId, entry] of kept) {
    if (bytes <= KEPT_BYTES || kept.size === 1) return;
    kept.delete(orgId);
    bytes -= entry.bytes;
  }
}

type GraphRow = { edges: number; pairs: number; keys: Buffer | null; stackPairs: Buffer | null };

async function readGraph(db: Queryable, orgId: string, version: string, budgets: Budgets): Promise<Graph> {
  const [row] = (await db.execute(sql`
    select edges, pairs, keys, stack_pairs as "stackPairs"
    from dependency_graph(${orgId}::uuid, ${budgets.maxOrgEdges}::int, ${budgets.maxOrgStackPairs}::int)`)) as unknown as GraphRow[];
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

/** The stack's node; null for one that does not live. */
function nodeOf({ keys }: Pick<Graph, "keys">, stackKey: string): number | null {
  const wanted = Buffer.from(stackKey.replaceAll("-", ""), "hex");
  let [low, high] = [0, keys.length / 16 - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const order = keys.compare(wanted, 0, 16, middle * 16, middle * 16 + 16);
    if (order === 0) return middle;
    if (order < 0) low = middle + 1;
    else high = middle - 1;
  }
  return null;
}

function keyOf({ keys }: Pick<Graph, "keys">, node: number): string {
  const hex = keys.toString("hex", node * 16, node * 16 + 16);
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/** Null: unknown, since a budget is exceeded. */
export function inCycle(graph: Graph, stackKey: string): boolean | null {
  if (graph.exceeded !== null) return null;
  const node = nodeOf(graph, stackKey);
  return node !== null && graph.components.sizes[graph.components.of[node]!]! > 1;
}

/** Whether an edge between the two can be part of a cycle: each is reachable from the other. Null: unknown. */
export function onCycle(graph: Graph, aKey: string, bKey: string): boolean | null {
  if (graph.exceeded !== null) return null;
  const [a, b] = [nodeOf(graph, aKey), nodeOf(graph, bKey)];
  return a !== null && b !== null && a !== b && graph.components.of[a] === graph.components.of[b];
}

/** How many stacks lie on cycles together with this one, itself included; 0 when it lies on none. */
export function cycleSize(graph: Graph, stackKey: string): number {
  const node = nodeOf(graph, stackKey);
  return node !== null && inCycle(graph, stackKey) ? graph.components.sizes[graph.components.of[node]!]! : 0;
}

/** The keys of the stacks that lie on a cycle together with this one, itself among them; at most `limit`. */
export function cycleMembers(
  { components: { of, sizes }, ...graph }: Graph,
  stackKey: string,
  limit: number,
): string[] {
  const node = nodeOf(graph, stackKey);
  if (node === null || sizes[of[node]!]! < 2) return [];
  const members = [];
  for (
    let other = of.indexOf(of[node]!);
    other !== -1 && members.length < limit;
    other = of.indexOf(of[node]!, other + 1)
  ) {
    members.push(keyOf(graph, other));
  }
  return members;
}

/** Every group of stacks that lie on cycles together, in the order of its first; of each at most `limit` keys, in order. */
export function cyclesOf(graph: Graph, limit: number): { size: number; members: string[] }[] {
  const { of, sizes } = graph.components;
  const groups = new Map<number, string[]>();
  for (let node = 0; node < of.length; node++) {
    const group = of[node]!;
    if (sizes[group]! < 2) continue;
    const members = groups.get(group);
    if (members === undefined) groups.set(group, [keyOf(graph, node)]);
    else if (members.length < limit) members.push(keyOf(graph, node));
  }
  return [...groups].map(([group, members]) => ({ size: sizes[group]!, members }));
}

/** Of each graph that is kept: a banner is asked for with every page of a stack. */
const cycles = new WeakMap<Graph, Map<number, Promise<number[] | null>>>();
/** Of one graph, the ones found last. */
const KEPT_CYCLES = 100;

/** The keys of a shortest cycle through the stack, each the parent of the next; null when it lies on none. */
export async function cycleThrough(graph: Graph, stackKey: string): Promise<string[] | null> {
  const start = nodeOf(graph, stackKey);
  if (start === null || !inCycle(graph, stackKey)) return null;
  const found = cycles.get(graph) ?? new Map<number, Promise<number[] | null>>();
  cycles.set(graph, found);
  const cycle = found.get(start) ?? findCycle(graph, start);
  found.set(start, cycle);
  for (const oldest of found.keys()) if (found.size > KEPT_CYCLES) found.delete(oldest);
  try {
    return (await cycle)?.map((node) => keyOf(graph, node)) ?? null;
  } catch (error) {
    found.delete(start);
    throw error;
  }
}

async function findCycle({ keys, stackPairs: pairs }: Graph, start: number): Promise<number[] | null> {
  const nodeCount = keys.length / 16;
  if (pairs.length / 2 <= THREAD_FROM_PAIRS) return shortestCycle(nodeCount, pairs, start);
  return inThread("shortestCycle", { nodeCount, pairs, start });
}
