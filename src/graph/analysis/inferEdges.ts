/**
 * Edges that nobody declared: a stack reads what exactly one other stack manages (docs/rules/graph.md#inference).
 * Computed anew for one reader at a time, from the mark that whoever changed its ground left; the mark goes in the
 * same transaction, under its row's lock.
 */
import { type SQL, sql } from "drizzle-orm";
import type { Db } from "../../platform/db/client.ts";
import type { Budgets } from "./budgets.ts";

/** Work off the organization's marks until none is left or `stop` says so. @returns whether none is left */
export async function inferStale(
  db: Db,
  orgId: string,
  budgets: Pick<Budgets, "maxInferredEdgesPerStack">,
  stop: () => boolean,
): Promise<boolean> {
  while (!stop()) {
    const worked = await db.transaction(async (tx) => {
      // Another worker's readers are its own to finish.
      const [reader] = await tx.execute<{ stack_key: string }>(sql`
        select stack_key from dependency_state where org_id = ${orgId}::uuid and inferred_stale
        order by stack_key limit 1 for no key update skip locked`);
      if (reader === undefined) return false;
      // Nothing is known of the sizes of what the statement computes on its way; taken for small they would be joined
      // row by row.
      await tx.execute(sql`set local enable_nestloop = off`);
      await tx.execute(inferQuery(orgId, reader.stack_key, budgets.maxInferredEdgesPerStack));
      return true;
    });
    if (!worked) return true;
  }
  return false;
}

/**
 * Who manages each identity that the stack reads, by the index on identities: `offset 0` keeps the planner from going
 * by the primary key instead, which has the order that `min` likes and nothing else. Beyond the budget the edges of the
 * first addresses stay, so that the same ones stay each time.
 */
function inferQuery(orgId: string, stackKey: string, max: number): SQL {
  return sql`
    with read as materialized (
      select i.address, i.identity_hash from stack_resource_identities i where i.stack_key = ${stackKey}::uuid and i.mode = 'data'
        and exists (select from stacks s where s.stack_key = ${stackKey}::uuid and s.deleted_at is null)
    ),
    candidates as materialized (
      select h.identity_hash, i.stack_key, i.address
      from (select distinct identity_hash from read) h
      cross join lateral (
        select i.stack_key, i.address from stack_resource_identities i
        where i.org_id = ${orgId}::uuid and i.identity_hash = h.identity_hash and i.mode = 'managed' offset 0
      ) i
    ),
    managed as materialized (
      select c.identity_hash, (array_agg(c.stack_key))[1] as stack_key, min(c.address) as address
      from candidates c join stacks s on s.stack_key = c.stack_key and s.org_id = ${orgId}::uuid and s.deleted_at is null
      group by c.identity_hash having count(distinct c.stack_key) = 1
    ),
    found as materialized (
      select r.address as dependent_address, m.stack_key, m.address as dependency_address,
        sha256(convert_to(jsonb_build_array('inferred', r.address, m.stack_key, m.address)::text, 'UTF8')) as edge_hash
      from read r join managed m on m.identity_hash = r.identity_hash and m.stack_key <> ${stackKey}::uuid
      order by r.address, m.address limit ${max}::integer + 1
    ),
    kept as materialized (select * from found order by dependent_address, dependency_address limit ${max}::integer),
    gone as (
      delete from dependency_edges d where d.dependent_stack_key = ${stackKey}::uuid and d.provenance = 'inferred'
        and not exists (select from kept k where k.edge_hash = d.edge_hash)
    ),
    added as (
      insert into dependency_edges (org_id, dependent_stack_key, dependent_address, provenance, dependency_stack_key,
        dependency_address, edge_hash)
      select ${orgId}::uuid, ${stackKey}::uuid, dependent_address, 'inferred', stack_key, dependency_address, edge_hash
      from kept
      on conflict (dependent_stack_key, edge_hash) do nothing
    )
    update dependency_state set inferred_stale = false, inferred_truncated = (select count(*) > ${max}::integer from found)
    where stack_key = ${stackKey}::uuid`;
}
