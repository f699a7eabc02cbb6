/**
 * The limits of the dependency graph, as settings, and their names in metrics and answers
 * (docs/rules/graph.md#budgets).
 */

/** As in metrics, in answers and in the reason of a demotion. */
export const BUDGET_NAMES = {
  maxOrgEdges: "max_org_edges",
  maxOrgStackPairs: "max_org_stack_pairs",
  maxNeighborhoodEdges: "max_neighborhood_edges",
  maxDirectDependentEdgesPerStack: "max_direct_dependent_edges_per_stack",
  maxDirectDependentEdges: "max_direct_dependent_edges",
  maxInferredEdgesPerStack: "max_inferred_edges_per_stack",
  maxResponseEdges: "max_response_edges",
  maxPairEdges: "max_pair_edges",
} as const;
export type BudgetName = (typeof BUDGET_NAMES)[keyof Budgets];

/** How many edges, or pairs of stacks, each limit allows. */
export type Budgets = Record<keyof typeof BUDGET_NAMES, number>;
