/** What a pattern on names would give away: whoever may choose a name must not come to hold more by choosing it. */
import { sql } from "drizzle-orm";
import type { Subject } from "../../http/principal.ts";
import type { Queryable } from "../../platform/db/client.ts";
import { NotFoundError } from "../../platform/problems/problem.ts";
import { grants, standing, targets } from "./grants.ts";
import type { ResourceType } from "./matrix.ts";

/** A resource that is to be matched by another name, as checks of this type know it. */
export type Renaming = { type: ResourceType; before: string; after: string };

/**
 * Everything the subject may do by pattern under the new names it may do under the old ones already. One statement.
 * @throws NotFoundError, the uniform 404
 */
export async function requireNoGain(
  db: Queryable,
  subject: Subject,
  orgId: string,
  renamings: readonly Renaming[],
  resourceGroups: readonly string[] = [],
): Promise<void> {
  const groups = sql`${sql.param([...resourceGroups])}::text[]`;
  const grant = sql`(select from ${grants(subject, orgId)} p
    where p.resource_type in (gained.type, '*') and p.action in (gained.action, '*') and ${targets(sql`gained.before`, groups)})`;
  const [row] = await db.execute<{ allowed: boolean | null }>(sql`
    select s.super_admin or not exists (
      select from (
        select n.type, n.before, g.action from jsonb_to_recordset(${JSON.stringify(renamings)}::jsonb) as n (type text, before text, after text)
        join ${grants(subject, orgId)} g
          on g.resource_type in (n.type, '*') and n.after like g.resource_pattern escape '\\') gained
      where not exists ${grant}) as allowed
    from ${standing(subject, orgId)} s`);
  if (!row?.allowed) throw new NotFoundError();
}
