/** What labels put a stack under, it leaves by other labels only with another right than that to change it. */
import { sql } from "drizzle-orm";
import type { Check } from "../../people/authorization/authorize.ts";
import type { Queryable } from "../../platform/db/client.ts";

/** For what takes a stack out of a rule of approvals, or out of a policy that has to be met. */
export async function relabelChecks(
  db: Queryable,
  orgId: string,
  before: Record<string, string>,
  after: Record<string, string>,
): Promise<Check[]> {
  return db.execute<{ type: "approval_rule" | "policy"; action: "update" }>(sql`
    select distinct g.type, 'update' as action from (
      select 'approval_rule' as type, r.selector from approval_rules r where r.org_id = ${orgId}
      union all
      select 'policy', p.selector from policies p where p.org_id = ${orgId} and p.enforcement = 'mandatory' and p.version is not null
    ) g where ${JSON.stringify(before)}::jsonb @> g.selector and not ${JSON.stringify(after)}::jsonb @> g.selector`);
}
