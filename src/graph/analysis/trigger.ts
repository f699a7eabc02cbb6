/**
 * How the triggers of several edges combine into one: a person's say weighs more than never, never more than always
 * (docs/rules/graph.md#triggers-combine).
 */

export const TRIGGERS = ["always", "manual", "never"] as const;

export type Trigger = (typeof TRIGGERS)[number];

/** Weakest first; the place in this list is the weight. */
const BY_WEIGHT: readonly Trigger[] = ["always", "never", "manual"];

/** Manual over never over always. Commutative, associative and idempotent, so that the order of edges says nothing. */
export function combineTriggers(a: Trigger, b: Trigger): Trigger {
  return BY_WEIGHT.indexOf(a) >= BY_WEIGHT.indexOf(b) ? a : b;
}

type TriggeringEdge = { trigger: Trigger; declared: boolean };

/**
 * The trigger of a dependent from its edges to one parent. What somebody declared decides; an inferred edge, which
 * nobody chose a trigger for, counts as manual and only where nothing is declared. Null for no edges.
 */
export function resolveTrigger(edges: readonly TriggeringEdge[]): Trigger | null {
  if (edges.length === 0) return null;
  const declared = edges.filter((edge) => edge.declared);
  if (declared.length === 0) return "manual";
  return declared.map((edge) => edge.trigger).reduce(combineTriggers);
}
