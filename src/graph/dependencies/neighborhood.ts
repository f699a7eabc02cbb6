/**
 * The edges of one stack in both directions, as the caller may see them, in one statement with a bounded answer:
 * whether each other stack may be read is decided beside the edges, from the caller's grants read once.
 */
import { type SQL, sql } from "drizzle-orm";
import type { StackRow } from "../../core/stacks/schema.ts";
import type { Subject } from "../../http/principal.ts";
import { covers, grants, standing, targets } from "../../people/authorization/grants.ts";
import type { Queryable } from "../../platform/db/client.ts";
import type { Budgets } from "../analysis/budgets.ts";
import type { Trigger } from "../analysis/trigger.ts";

/** A stack at the other end, as far as the caller may know it. */
export type OtherStack = {
  stackKey: string;
  slug: string;
  name: string;
  labels: Record<string, string>;
  latestDeploymentStatus: string | null;
};

export type NeighborEdge = {
  direction: "dependency" | "dependent";
  /** Null: missing, or not for the caller to know; the two look alike. */
  other: OtherStack | null;
  /** Tells hidden stacks of one answer apart. Never shown. */
  place: string;
  /** Id of a stack that is declared and does not exist, for a caller who may read every stack. */
  missing: string | null;
  dependentAddress: string | null;
  dependencyAddress: string | null;
  trigger: Trigger;
  declared: boolean;
  inferred: boolean;
  file: string | null;
  line: number | null;
};

export type AnalysisState = {
  runId: string | null;
  declared: "never" | "known" | "unknown";
  resources: "never" | "known" | "unknown";
  problem: string | null;
  commentErrors: string[];
  commentErrorsCount: number;
  inferredTruncated: boolean;
  reconciledAt: string | null;
};

export type Neighborhood = {
  edges: NeighborEdge[];
  /** How many there are, also when the answer was cut. */
  total: number;
  /** More than `maxNeighborhoodEdges` were found, and the rest was not looked at. */
  exceeded: boolean;
  state: AnalysisState | null;
};

/**
 * `(stack_key, ..., readable)`: live stacks of the organization, and whether the caller may read each. Needs
 * `withGrants`.
 */
export const readable = sql`(exists (select from viewer where super_admin)
  or exists (select from granted p where ${targets(sql`s.name`, sql`s.authz_groups`)}))`;

/** CTEs `viewer` and `granted`: what the caller holds on stacks, read once for all rows of a statement. */
export function withGrants(subject: Subject, orgId: string): SQL {
  return sql`viewer as materialized (select * from ${standing(subject, orgId)} v),
    granted as materialized (
      select p.resource_pattern, p.authz_group from viewer, ${grants(subject, orgId)} p
      where viewer.member and ${covers("stack", "read")})`;
}

/** @param stack one that the caller may read: `authorizeStack` gave it */
export async function neighborhood(
  db: Queryable,
  subject: Subject,
  stack: Pick<StackRow, "stackKey" | "orgId" | "slug">,
  budgets: Budgets,
): Promise<Neighborhood> {
  const [row] = (await db.execute(neighborhoodQuery(subject, stack, budgets))) as unknown as [Neighborhood];
  return row;
}

/**
 * Where the other stack is hidden, what is its own is left out (addresses in it), and edges that differ only there are
 * one. A declaration of a hidden stack stays apart from what was inferred about it, or the two together would say that
 * it exists. Each pair of stacks comes first with one edge, so that a cut loses surplus edges before it loses a
 * neighbor.
 */
function neighborhoodQuery(
  subject: Subject,
  { stackKey, orgId, slug }: Pick<StackRow, "stackKey" | "orgId" | "slug">,
  { maxNeighborhoodEdges, maxPairEdges, maxResponseEdges }: Budgets,
): SQL {
  const few = sql`limit ${maxNeighborhoodEdges}::int + 1`;
  return sql`
    with ${withGrants(subject, orgId)},
    found as materialized (
      (select 'dependency' as direction, coalesce(n.stack_key, k.stack_key) as other, e.*
        from dependency_edges e
        left join stacks n on n.org_id = e.org_id and n.slug = e.dependency_stack_slug and n.deleted_at is null
        left join stacks k on k.stack_key = e.dependency_stack_key and k.deleted_at is null
        where e.dependent_stack_key = ${stackKey}::uuid and (e.provenance = 'declared' or k.stack_key is not null)
          and n.stack_key is distinct from ${stackKey}::uuid ${few})
      union all
      (select 'dependent', d.stack_key, e.* from dependency_edges e
        join stacks d on d.stack_key = e.dependent_stack_key and d.deleted_at is null
        where e.org_id = ${orgId}::uuid and e.dependency_stack_slug = ${slug} and d.stack_key <> ${stackKey}::uuid ${few})
      union all
      (select 'dependent', d.stack_key, e.* from dependency_edges e
        join stacks d on d.stack_key = e.dependent_stack_key and d.deleted_at is null
        where e.dependency_stack_key = ${stackKey}::uuid ${few})
    ),
    others as materialized (
      select s.stack_key, s.slug, s.name, s.labels, s.latest_deployment_status from stacks s
      where s.stack_key in (select other from found) and ${readable}
    ),
    shown as (
      select f.direction, o.stack_key,
        case when o.stack_key is null and f.direction = 'dependency' and f.provenance = 'declared'
          then 'declared ' || f.dependency_stack_slug else f.other::text end as place,
        case when o.stack_key is null and f.direction = 'dependent' then null else f.dependent_address end as dependent_address,
        case when o.stack_key is null and f.direction = 'dependency' and m.slug is null then null else f.dependency_address end
          as dependency_address,
        m.slug as missing,
        f.provenance, f.trigger, f.file, f.line, f.id
      from found f left join others o on o.stack_key = f.other
      left join lateral (select f.dependency_stack_slug as slug from viewer v
        where f.direction = 'dependency' and f.provenance = 'declared' and f.other is null and (v.super_admin or exists (
          select from granted p where p.resource_pattern is null and p.authz_group is null))) m on true
    ),
    merged as (
      select direction, stack_key, place, missing, dependent_address, dependency_address,
        bool_or(provenance = 'declared') as declared, bool_or(provenance = 'inferred') as inferred,
        coalesce((array['always', 'never', 'manual'])[max(array_position(array['always', 'never', 'manual'], trigger))
          filter (where provenance = 'declared')], 'manual') as trigger,
        min(file) as file, min(line) as line, min(id::text) as first
      from shown group by direction, stack_key, place, missing, dependent_address, dependency_address
    ),
    numbered as (
      select *, row_number() over (partition by direction, place
        order by dependent_address collate "C" nulls first, dependency_address collate "C" nulls first) as nth
      from merged
    ),
    cut as (
      select n.*, o.slug, o.name, o.labels, o.latest_deployment_status
      from numbered n left join others o on o.stack_key = n.stack_key
      where n.nth <= ${maxPairEdges}::int
      order by n.nth, n.direction, o.slug nulls last, n.first limit ${maxResponseEdges}::int
    )
    select
      (select count(*) from merged)::int as total,
      (select count(*) from found) > ${maxNeighborhoodEdges}::int as exceeded,
      coalesce((select jsonb_agg(jsonb_build_object(
        'direction', direction, 'place', place, 'missing', missing, 'dependentAddress', dependent_address, 'dependencyAddress', dependency_address,
        'trigger', trigger, 'declared', declared, 'inferred', inferred,
        'file', case when direction = 'dependency' or stack_key is not null then file end,
        'line', case when direction = 'dependency' or stack_key is not null then line end,
        'other', case when stack_key is not null then jsonb_build_object('stackKey', stack_key, 'slug', slug, 'name', name,
          'labels', labels, 'latestDeploymentStatus', latest_deployment_status) end)
        order by direction, slug nulls last, first) from cut), '[]') as edges,
      (select jsonb_build_object('runId', run_id, 'declared', declared, 'resources', resources, 'problem', problem,
        'commentErrors', comment_errors, 'commentErrorsCount', comment_errors_count,
        'inferredTruncated', inferred_truncated, 'reconciledAt', reconciled_at::text)
        from dependency_state where stack_key = ${stackKey}::uuid) as state`;
}
