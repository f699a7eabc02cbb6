/** Which dependents of an apply the cascade has to trigger next, and how many are left. */
import { sql } from "drizzle-orm";
import type { CascadeView } from "../../workflows/contract.ts";
import type { Queryable } from "../db/client.ts";
import { OPEN } from "./resolved.ts";
import type { DependentSource } from "./triggerDependent.ts";

export type OpenDependent = DependentSource & { slug: string; repository_key: string; attempts: number };

/** The dependents that are due, in the order in which they are done. By `dependent_triggers_open`, whatever the cascade's size. */
export async function dueDependents(db: Queryable, parentId: string, limit: number): Promise<OpenDependent[]> {
  return (await db.execute(sql`
    select t.dependent_stack_key as stack_key, s.org_id, s.slug, s.repository_url, s.repository_key, s.branch, t.attempts
    from dependent_triggers t join stacks s on s.stack_key = t.dependent_stack_key
    where t.parent_deployment_id = ${parentId} and ${OPEN} and t.due_at <= svc_now()
    order by t.due_at, t.dependent_stack_key limit ${limit}`)) as unknown as OpenDependent[];
}

/** How the cascade stands. */
export async function cascadeView(db: Queryable, parentId: string): Promise<CascadeView> {
  const [row] = (await db.execute(sql`
    select count(*)::int as open,
      case when count(*) > 0 then greatest(ceil(extract(epoch from min(t.due_at) - svc_now()) * 1000), 0)::float8 end as "nextMs"
    from dependent_triggers t where t.parent_deployment_id = ${parentId} and ${OPEN}`)) as unknown as CascadeView[];
  return row ?? { open: 0, nextMs: null };
}
