/** Lays a graph out from left to right, what others depend on first. On its own thread: it can take a second. */
import { Graph, layout } from "@dagrejs/dagre";
import { NODE, type Placed, type PlanOfGraph, type Point } from "./placed.ts";

type Asked = { id: number; plan: PlanOfGraph };

self.onmessage = ({ data }: MessageEvent<Asked>) => {
  self.postMessage({ id: data.id, placed: place(data.plan) });
};

function place({ ids, edges }: PlanOfGraph): Placed {
  const graph = new Graph({ multigraph: false });
  // The library's own ranker takes minutes for a thousand stacks.
  graph.setGraph({ rankdir: "LR", ranker: "tight-tree", nodesep: 14, ranksep: 72, marginx: 16, marginy: 16 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const id of ids) graph.setNode(id, { ...NODE });
  for (const [dependent, dependency] of edges) graph.setEdge(dependency, dependent);
  layout(graph);
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number };
  const point = ({ x, y }: Point): Point => ({ x: Math.round(x), y: Math.round(y) });
  return {
    ...{ width: Math.ceil(width), height: Math.ceil(height) },
    nodes: Object.fromEntries(ids.map((id) => [id, point(graph.node(id) as Point)])),
    lines: edges.map(([dependent, dependency]) => {
      const { points = [] } = graph.edge(dependency, dependent) as { points?: Point[] };
      return points.map(point);
    }),
  };
}
