/** Which dependents of an apply the cascade has to trigger next, and how many are left. */
import { sql } from "drizzle-orm";
import type { CascadeView } from "../../../workflows/views.ts";
import type { stacks } from "../../core/stacks/schema.ts";
import type { Queryable } from "../../platform/db/client.ts";
import type { SqlRow } from "../../platform/db/sqlRow.ts";
import { OPEN } from "./openTriggers.ts";
import type { ParentApply } from "./parentApply.ts";
import type { dependentTriggers } from "./schema.ts";
import { STATE } from "./state.ts";
import type { DependentSource } from "./triggerDependent.ts";

export type OpenDependent = DependentSource &
  SqlRow<typeof stacks, "slug" | "repository_key"> &
  SqlRow<typeof dependentTriggers, "attempts">;

/**
 * The dependents that are due, in the order in which they are done. By `dependent_triggers_open`, whatever the
 * cascade's size.
 */
export async function dueDependents(db: Queryable, parentId: string, limit: number): Promise<OpenDependent[]> {
  return await db.execute<OpenDependent>(sql`
    select t.dependent_stack_key as stack_key, s.org_id, s.slug, s.repository_url, s.repository_key, s.branch, t.attempts
    from dependent_triggers t join stacks s on s.stack_key = t.dependent_stack_key
    where t.parent_deployment_id = ${parentId} and ${OPEN} and t.due_at <= svc_now()
    order by t.due_at, t.dependent_stack_key limit ${limit}`);
}

/** How the cascade stands. Counts all rows of the apply: one read of a range of the primary key for each step. */
export async function cascadeView(
  db: Queryable,
  { id, stack_key }: Pick<ParentApply, "id" | "stack_key">,
): Promise<CascadeView> {
  const [row] = (await db.execute(sql`
    select c.open, case when c.open > 0 then greatest(ceil(extract(epoch from c.due - svc_now()) * 1000), 0)::float8 end as "nextMs",
      jsonb_build_object('stack', (select slug from stacks where stack_key = ${stack_key}), 'triggered', c.triggered, 'manual', c.manual,
        'skipped', c.skipped, 'failed', c.failed, 'putOff', c.put_off) as told
    from (
      select count(*) filter (where state = 'open')::int as open, min(due_at) filter (where state = 'open') as due,
        count(*) filter (where state = 'open' and attempts > 0)::int as put_off,
        count(*) filter (where state = 'triggered')::int as triggered, count(*) filter (where state = 'failed')::int as failed,
        count(*) filter (where state = 'manual')::int as manual, count(*) filter (where state = 'skipped')::int as skipped
      from (select ${STATE} as state, t.due_at, t.attempts from dependent_triggers t where t.parent_deployment_id = ${id}) s
    ) c`)) as unknown as [CascadeView];
  return row;
}
