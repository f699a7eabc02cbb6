/**
 * The edges from a stack to those that depend on it: what a cascade decides by. Read by the two partial indexes on what
 * is depended on, with a bounded number of rows however many edges there are.
 */
import { type SQL, sql } from "drizzle-orm";
import type { Queryable } from "../../platform/db/client.ts";
import type { NamedRow } from "../../platform/db/sqlRow.ts";
import { BUDGET_NAMES, type BudgetName, type Budgets } from "../analysis/budgets.ts";
import type { Trigger } from "../analysis/trigger.ts";
import { graphOf } from "./graph.ts";
import { onCycle } from "./graphCycles.ts";
import type { dependencyEdges } from "./schema.ts";

export type DependentEdge = {
  dependentStackKey: string;
  dependentSlug: string;
  /** Identifies the incarnation: a stack made again under its name is another one. */
  dependentCreatedAt: string;
  dependentKind: "stack" | "resource";
  /** A stack's id, or the address of a resource. */
  dependentId: string;
  dependencyKind: "stack" | "resource";
  /** The parent's id, or an address in it, or `output.<name>`. */
  dependencyId: string;
  /** As declared; manual for an edge that is only inferred. `resolveTrigger` combines those of one dependent. */
  trigger: Trigger;
  declared: boolean;
  inferred: boolean;
  /** Parent and dependent can each be reached from the other. Null: unknown, since a budget is exceeded. */
  onCycle: boolean | null;
  /** A budget is exceeded: the dependent waits for a person. */
  overBudget: boolean;
  exceeded: BudgetName | null;
};

type EdgeRow = Omit<DependentEdge, "dependentKind" | "dependentId" | "dependencyKind" | "dependencyId" | "onCycle"> &
  NamedRow<typeof dependencyEdges, "dependentAddress" | "dependencyAddress"> & {
    parentSlug: string;
    perStack: number;
    total: number;
  };

/**
 * Every dependent with at least one of its edges; with all of them up to `maxDirectDependentEdgesPerStack` each and
 * `maxDirectDependentEdges` together (docs/rules/graph.md#budgets). A deleted parent has no dependents. At most three
 * statements. @param asOf leave out what came to depend on it only after this time, as Postgres writes it
 */
export async function directDependents(
  db: Queryable,
  { orgId, stackKey, asOf = null }: { orgId: string; stackKey: string; asOf?: string | null },
  budgets: Budgets,
): Promise<DependentEdge[]> {
  const graph = await graphOf(db, orgId, budgets);
  const rows = await db.execute<EdgeRow>(edgesQuery(orgId, stackKey, asOf, budgets));
  return rows.map((row) => {
    const exceeded = graph.exceeded ?? exceededBudget(row, budgets);
    return {
      dependentStackKey: row.dependentStackKey,
      dependentSlug: row.dependentSlug,
      dependentCreatedAt: row.dependentCreatedAt,
      dependentKind: row.dependentAddress === null ? "stack" : "resource",
      dependentId: row.dependentAddress ?? row.dependentSlug,
      dependencyKind: row.dependencyAddress === null ? "stack" : "resource",
      dependencyId: row.dependencyAddress ?? row.parentSlug,
      trigger: row.trigger,
      declared: row.declared,
      inferred: row.inferred,
      onCycle: onCycle(graph, stackKey, row.dependentStackKey),
      overBudget: exceeded !== null,
      exceeded,
    };
  });
}

function exceededBudget({ perStack, total }: EdgeRow, budgets: Budgets): BudgetName | null {
  if (total > budgets.maxDirectDependentEdges) return BUDGET_NAMES.maxDirectDependentEdges;
  if (perStack > budgets.maxDirectDependentEdgesPerStack) return BUDGET_NAMES.maxDirectDependentEdgesPerStack;
  return null;
}

/**
 * An edge that was there, or one that was declared by a run that had ended: its analysis may be read some time later.
 * What is inferred may come from another stack's run, the applied one's own for example, and counts from when it was
 * found.
 */
const knownAt = (asOf: SQL) => sql`(found.created_at <= ${asOf} or (found.provenance = 'declared' and exists (
  select from dependency_state d where d.stack_key = found.dependent_stack_key and d.run_completed_at <= ${asOf})))`;

/**
 * A declared and an inferred edge of the same endpoints are one. Ordered so that what is cut off is the surplus of the
 * largest.
 */
function edgesQuery(orgId: string, stackKey: string, asOf: string | null, budgets: Budgets) {
  return sql`
    with parent as (
      select stack_key, slug from stacks where stack_key = ${stackKey}::uuid and org_id = ${orgId}::uuid and deleted_at is null
    ),
    found as (
      select e.* from parent p
      join dependency_edges e on e.org_id = ${orgId}::uuid and e.dependency_stack_slug = p.slug
      union all
      select e.* from parent p join dependency_edges e on e.dependency_stack_key = p.stack_key
    ),
    merged as (
      select dependent_stack_key, dependent_address, dependency_address,
        bool_or(provenance = 'declared') as declared, bool_or(provenance = 'inferred') as inferred,
        coalesce(max(trigger) filter (where provenance = 'declared'), 'manual') as trigger
      from found where dependent_stack_key <> ${stackKey}::uuid
        and ${asOf === null ? sql`true` : knownAt(sql`${asOf}::timestamptz`)}
      group by dependent_stack_key, dependent_address, dependency_address
    ),
    numbered as (
      select m.*, s.slug, s.created_at, count(*) over () as total, count(*) over (partition by s.stack_key) as per_stack,
        row_number() over (partition by s.stack_key
          order by m.dependent_address collate "C" nulls first, m.dependency_address collate "C" nulls first) as place
      from merged m join stacks s on s.stack_key = m.dependent_stack_key and s.deleted_at is null
    )
    select n.dependent_stack_key as "dependentStackKey", n.slug as "dependentSlug", n.created_at::text as "dependentCreatedAt",
      n.dependent_address as "dependentAddress", n.dependency_address as "dependencyAddress", p.slug as "parentSlug",
      n.trigger, n.declared, n.inferred, n.per_stack::int as "perStack", n.total::int as total
    from parent p, (
      select *, row_number() over (order by place, dependent_stack_key) as rank from numbered
      where place <= ${budgets.maxDirectDependentEdgesPerStack}::int
    ) n
    where n.place = 1 or n.rank <= ${budgets.maxDirectDependentEdges}::int
    order by n.dependent_stack_key, n.place`;
}
