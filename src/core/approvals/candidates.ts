/** Who could give the approvals that a deployment waits for. */
import { sql } from "drizzle-orm";
import type { Queryable } from "../../platform/db/client.ts";

/** More names than that help nobody. */
const MOST = 10;

/** "Ada, Ben or Eve could give it." */
export async function candidatesText(db: Queryable, deploymentId: string): Promise<string> {
  const [row] = await db.execute<{ names: string[] }>(sql`
    select coalesce(jsonb_agg(c.name), '[]') as names from (
      select distinct p.kind, p.id, p.name from deployments d, waiting_plan(d.id) plan,
        asked_approvals(d, plan) a, jsonb_array_elements(missing_approvals(d) -> 'missing') m,
        possible_approvers(d, plan, a.approvers, m -> 'given', ${MOST}) p
      where d.id = ${deploymentId} and a.id::text = m ->> 'id'
      order by p.kind desc, p.name, p.id limit ${MOST}) c`);
  const names = row?.names ?? [];
  if (names.length === 0) return "Nobody who could is left: somebody with (stack, break_glass) can apply it without.";
  const [last, ...others] = names.toReversed();
  return `${others.length === 0 ? last : `${others.toReversed().join(", ")} or ${last}`} could.`;
}
