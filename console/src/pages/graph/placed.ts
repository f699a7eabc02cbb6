/** Where each stack and each edge of a drawing is. The work is done in `layout.worker.ts`. */
export const NODE = { width: 208, height: 40 };

export type Point = { x: number; y: number };
export type PlanOfGraph = {
  ids: readonly string[];
  edges: readonly (readonly [dependent: string, dependency: string])[];
};
export type Placed = {
  width: number;
  height: number;
  /** The middle of each stack. */
  nodes: Record<string, Point>;
  /** In the order they were asked for: the line from what is depended on to what depends on it. */
  lines: Point[][];
};
