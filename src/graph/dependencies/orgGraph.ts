/** The graph of an organization's stacks, of those that the caller may read: bounded, in the order of their ids. */
import { type SQL, sql } from "drizzle-orm";
import * as v from "valibot";
import { labelFilter } from "../../core/stacks/labelFilter.ts";
import type { Subject } from "../../http/principal.ts";
import { inScope, listScope, seesAnything } from "../../people/authorization/listScope.ts";
import type { Db } from "../../platform/db/client.ts";
import type { Budgets } from "../analysis/budgets.ts";
import { TRIGGERS } from "../analysis/trigger.ts";
import { graphOf } from "./graph.ts";
import { inCycle } from "./graphCycles.ts";

const MOST_STACKS = 1_000;
const MOST_EDGES = 5_000;

const about = <S extends v.GenericSchema>(schema: S, description: string) =>
  v.pipe(schema, v.metadata({ description }));

export const OrgGraphQuery = v.strictObject({
  labels: v.optional(
    v.pipe(v.string(), v.maxLength(2_000), v.metadata({ description: "`key=value` pairs joined by commas" })),
  ),
});

export const OrgGraph = v.pipe(
  v.object({
    items: about(
      v.array(
        v.object({
          id: v.string(),
          name: v.string(),
          latest_deployment_status: v.nullable(v.string()),
          in_cycle: about(v.nullable(v.boolean()), "Whether it lies on a cycle; null: the graph is beyond its budget"),
        }),
      ),
      "The stacks",
    ),
    edges: v.array(
      v.object({
        dependent: v.string(),
        dependency: v.string(),
        trigger: v.picklist(TRIGGERS),
        declared: v.boolean(),
        inferred: v.boolean(),
      }),
    ),
    truncated: about(v.boolean(), `More than ${MOST_STACKS} stacks or ${MOST_EDGES} edges: the others are left out`),
  }),
  v.metadata({ ref: "OrgGraph" }),
);
type OrgGraph = v.InferOutput<typeof OrgGraph>;

/** @throws InvalidValueError */
export async function readOrgGraph(
  db: Db,
  subject: Subject,
  orgId: string,
  { labels }: { labels?: string | undefined },
  budgets: Budgets,
): Promise<OrgGraph> {
  const filter = labels === undefined ? sql`true` : labelFilter(sql`s.labels`, labels);
  const scope = await listScope(db, subject, orgId, "stack");
  if (!seesAnything(scope)) return { items: [], edges: [], truncated: false };
  const stacks = sql`select s.stack_key, s.slug, s.name, s.latest_deployment_status from stacks s
    where s.org_id = ${orgId} and s.deleted_at is null and ${inScope(scope, sql`s.name`)} and ${filter}
    order by s.slug limit ${MOST_STACKS + 1}`;
  const [graph, [row]] = await Promise.all([
    graphOf(db, orgId, budgets),
    db.execute<{ stacks: Stack[]; edges: OrgGraph["edges"] }>(sql`
      with shown as materialized (${stacks}), edges as (${edgesWithin(orgId)})
      select (select coalesce(json_agg(json_build_object('key', stack_key, 'id', slug, 'name', name,
          'latest_deployment_status', latest_deployment_status) order by slug), '[]') from shown) as stacks,
        (select coalesce(json_agg(e), '[]') from edges e) as edges`),
  ]);
  const { stacks: found, edges } = row!;
  const items = found.slice(0, MOST_STACKS).map(({ key, ...stack }) => ({ ...stack, in_cycle: inCycle(graph, key) }));
  const ids = new Set(items.map(({ id }) => id));
  const shown = edges
    .slice(0, MOST_EDGES)
    .filter(({ dependent, dependency }) => ids.has(dependent) && ids.has(dependency));
  return { items, edges: shown, truncated: found.length > MOST_STACKS || edges.length > MOST_EDGES };
}

type Stack = Omit<OrgGraph["items"][number], "in_cycle"> & { key: string };

/** Of the stacks in `shown`; between two one edge, with the trigger that its edges come to (`resolveTrigger`). */
function edgesWithin(orgId: string): SQL {
  const declared = sql.raw("e.provenance = 'declared'");
  return sql`
    select a.slug as dependent, coalesce(k.slug, n.slug) as dependency,
      case when not bool_or(${declared}) or bool_or(${declared} and e.trigger = 'manual') then 'manual'
        when bool_or(${declared} and e.trigger = 'never') then 'never' else 'always' end as trigger,
      bool_or(${declared}) as declared, bool_or(e.provenance = 'inferred') as inferred
    from dependency_edges e join shown a on a.stack_key = e.dependent_stack_key
    left join shown k on k.stack_key = e.dependency_stack_key left join shown n on n.slug = e.dependency_stack_slug
    where e.org_id = ${orgId} and coalesce(k.stack_key, n.stack_key) <> a.stack_key
    group by 1, 2 order by 1, 2 limit ${MOST_EDGES + 1}`;
}
