/** What is asked of an organization's graph: who lies on a cycle, with whom, and which way it goes. */
import type { LRUCache } from "lru-cache";
import { readCache } from "../../platform/cache/readCache.ts";
import { shortestCycle } from "../analysis/cycle.ts";
import { inThread } from "../analysis/thread.ts";
import { type Graph, THREAD_FROM_PAIRS } from "./graph.ts";

/** The stack's node; null for one that does not live. */
function nodeOf({ keys }: Pick<Graph, "keys">, stackKey: string): number | null {
  const key = Buffer.from(stackKey.replaceAll("-", ""), "hex");
  let [low, high] = [0, keys.length / 16 - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const order = keys.compare(key, 0, 16, middle * 16, middle * 16 + 16);
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

/**
 * Every group of stacks that lie on cycles together, in the order of its first; of each at most `limit` keys, in order.
 */
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
const cycles = new WeakMap<Graph, LRUCache<number, { nodes: number[] | null }, undefined>>();
/** Of one graph, the ones found last. */
const KEPT_CYCLES = 100;

/** The keys of a shortest cycle through the stack, each the parent of the next; null when it lies on none. */
export async function cycleThrough(graph: Graph, stackKey: string): Promise<string[] | null> {
  const start = nodeOf(graph, stackKey);
  if (start === null || !inCycle(graph, stackKey)) return null;
  const { nodes } = await cyclesIn(graph).forceFetch(start);
  return nodes?.map((node) => keyOf(graph, node)) ?? null;
}

function cyclesIn(graph: Graph) {
  const known = cycles.get(graph);
  if (known !== undefined) return known;
  const found = readCache(async (start: number) => ({ nodes: await findCycle(graph, start) }), { max: KEPT_CYCLES });
  cycles.set(graph, found);
  return found;
}

async function findCycle({ keys, stackPairs: pairs }: Graph, start: number): Promise<number[] | null> {
  const nodeCount = keys.length / 16;
  if (pairs.length / 2 <= THREAD_FROM_PAIRS) return shortestCycle(nodeCount, pairs, start);
  return inThread("shortestCycle", { nodeCount, pairs, start });
}
