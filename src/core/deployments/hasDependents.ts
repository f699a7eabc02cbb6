/**
 * Whether any stack depends on one or waits for its outputs, as a condition inside another statement: three probes of
 * an index, and no rows read.
 */
import { type SQL, sql } from "drizzle-orm";

/** May be true for a stack whose dependents were all deleted; never false for one that has some. */
export function hasDependents({ org_id, stack_key, slug }: { org_id: string; stack_key: string; slug: string }): SQL {
  return sql`(exists (select 1 from dependency_edges e where e.org_id = ${org_id}::uuid and e.dependency_stack_slug = ${slug}
      and e.dependent_stack_key <> ${stack_key}::uuid)
    or exists (select 1 from dependency_edges e where e.dependency_stack_key = ${stack_key}::uuid)
    or exists (select 1 from output_waits w where w.awaited_key = ${stack_key}::uuid))`;
}
