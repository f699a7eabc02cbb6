/** How much of the graph's budgets each organization uses, for the metrics (docs/rules/graph.md#budgets). */
import { sql } from "drizzle-orm";
import type { Gauge } from "prom-client";
import type { Queryable } from "../../platform/db/client.ts";
import { BUDGET_NAMES, type Budgets } from "../analysis/budgets.ts";
import { graphOf } from "./graph.ts";

export type UsageMetrics = {
  dependencyBudget: Pick<Gauge<"budget">, "set">;
  dependencyUsage: Pick<Gauge<"org" | "budget">, "set">;
};

/** The budgets as they are set. Those of single answers have no use that lasts. */
export function showBudgets({ dependencyBudget }: UsageMetrics, budgets: Budgets): void {
  for (const [setting, budget] of Object.entries(BUDGET_NAMES)) {
    dependencyBudget.set({ budget }, budgets[setting as keyof Budgets]);
  }
}

/**
 * For an organization the edges and pairs in all, and the most that one stack has. Does nothing while the graph is the
 * one that was measured last.
 */
export function usageMeter(db: Queryable, budgets: Budgets, { dependencyUsage }: UsageMetrics) {
  const measured = new Map<string, string>();
  return async (orgId: string): Promise<void> => {
    const { version, edges, pairs } = await graphOf(db, orgId, budgets);
    if (measured.get(orgId) === version) return;
    const [most] = (await db.execute(largest(orgId))) as unknown as [Largest];
    const show = (budget: string, value: number) => dependencyUsage.set({ org: orgId, budget }, value);
    show(BUDGET_NAMES.maxOrgEdges, edges);
    show(BUDGET_NAMES.maxOrgStackPairs, pairs);
    show(BUDGET_NAMES.maxInferredEdgesPerStack, most.inferred);
    show(BUDGET_NAMES.maxDirectDependentEdges, most.dependents);
    show(BUDGET_NAMES.maxDirectDependentEdgesPerStack, most.per_dependent);
    show(BUDGET_NAMES.maxNeighborhoodEdges, most.neighborhood);
    measured.set(orgId, version);
  };
}

type Largest = { inferred: number; dependents: number; per_dependent: number; neighborhood: number };

/** In one pass over the edges of each pair of stacks. */
function largest(orgId: string) {
  return sql`
    with pairs as materialized (
      select e.dependent_stack_key as dependent, coalesce(s.stack_key, e.dependency_stack_key) as parent, count(*) as n,
        count(*) filter (where e.provenance = 'inferred') as inferred
      from dependency_edges e
      left join stacks s on s.org_id = e.org_id and s.slug = e.dependency_stack_slug and s.deleted_at is null
      where e.org_id = ${orgId}::uuid group by 1, 2
    ),
    ends as (
      select dependent as stack, n, 0 as incoming, inferred from pairs
      union all select parent, n, n, 0 from pairs where parent is not null
    ),
    sums as (select sum(n) as n, sum(incoming) as incoming, sum(inferred) as inferred from ends group by stack)
    select coalesce(max(inferred), 0)::integer as inferred, coalesce(max(incoming), 0)::integer as dependents,
      coalesce((select max(n) from pairs), 0)::integer as per_dependent, coalesce(max(n), 0)::integer as neighborhood
    from sums`;
}
