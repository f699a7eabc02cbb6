/**
 * Which stacks are drawn: more than some hundreds can be neither laid out in time nor read. Around a stack that was
 * asked for, the nearest ones; else those that have the most to do with others. Pure.
 */
import type { GraphEdge, GraphStack } from "../../data/graph.ts";

const MOST_DRAWN = 300;

export type Neighbours = { dependencies: readonly string[]; dependents: readonly string[] };
type Chosen = { stacks: GraphStack[]; edges: GraphEdge[] };
const NONE: Neighbours = { dependencies: [], dependents: [] };

/** What each stack depends on, and what depends on it, in the order of the edges. */
export function neighboursOf(edges: readonly GraphEdge[]): (id: string) => Neighbours {
  const found = new Map<string, { dependencies: string[]; dependents: string[] }>();
  const of = (id: string) => {
    const known = found.get(id) ?? { dependencies: [], dependents: [] };
    found.set(id, known);
    return known;
  };
  for (const { dependent, dependency } of edges) {
    of(dependent).dependencies.push(dependency);
    of(dependency).dependents.push(dependent);
  }
  return (id) => found.get(id) ?? NONE;
}

/** @param around draw from this stack on, however far the others are; absent: those with edges, most of them first */
export function chooseDrawn(
  stacks: readonly GraphStack[],
  edges: readonly GraphEdge[],
  around?: string,
  most = MOST_DRAWN,
): Chosen {
  const neighbours = neighboursOf(edges);
  const degree = (id: string) => neighbours(id).dependencies.length + neighbours(id).dependents.length;
  const known = new Map(stacks.map((stack) => [stack.id, stack]));
  const starts =
    around !== undefined && known.has(around)
      ? [around]
      : [...known.keys()].filter((id) => degree(id) > 0).sort((a, b) => degree(b) - degree(a));
  const drawn = new Set<string>();
  for (const start of starts) {
    const waiting = [start];
    for (let at = 0; at < waiting.length && drawn.size < most; at++) {
      const id = waiting[at] as string;
      if (drawn.has(id) || !known.has(id)) continue;
      drawn.add(id);
      waiting.push(...neighbours(id).dependencies, ...neighbours(id).dependents);
    }
    if (drawn.size >= most) break;
  }
  return {
    stacks: stacks.filter(({ id }) => drawn.has(id)),
    edges: edges.filter(({ dependent, dependency }) => drawn.has(dependent) && drawn.has(dependency)),
  };
}
