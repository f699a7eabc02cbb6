/** The stacks beside one in a graph of stacks and resources. Pure. */
import type { Dependencies } from "../../data/types.ts";

type Edge = Dependencies["edges"][number];
export type Neighbor = {
  key: string;
  /** Null where it is restricted or not there. */
  stack: string | null;
  name: string | null;
  status: string | null;
  missing: boolean;
  edge: Edge;
};

/** Resources stand for the stack they are in; of several edges to the same stack the first is told. */
export function neighborsOf({ nodes, edges }: Dependencies, stack: string) {
  const byKey = new Map(nodes.map((node) => [node.key, node]));
  const isOwn = (key: string) => {
    const node = byKey.get(key);
    return node !== undefined && (node.kind === "stack" ? node.id === stack : node.stack === stack);
  };
  const beside = (self: "dependent" | "dependency", other: "dependent" | "dependency") => {
    const found = new Map<string, Neighbor>();
    for (const edge of edges) {
      if (!isOwn(edge[self]) || isOwn(edge[other])) continue;
      const node = byKey.get(edge[other]);
      if (node === undefined) continue;
      const id = node.kind === "stack" ? node.id : node.stack;
      const itself = nodes.find((one) => one.kind === "stack" && one.id !== null && one.id === id) ?? node;
      const key = id ?? node.key;
      if (found.has(key)) continue;
      const { name, latest_deployment_status: status, missing, restricted } = itself;
      found.set(key, { key, stack: restricted || missing ? null : id, name, status, missing, edge });
    }
    return [...found.values()];
  };
  const inCycle = nodes.some((node) => node.kind === "stack" && node.id === stack && node.in_cycle === true);
  return { above: beside("dependent", "dependency"), below: beside("dependency", "dependent"), inCycle };
}
