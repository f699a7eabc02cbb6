/** What a subject may see of a family in a list (docs/rules/permissions.md#lists). */
import { type SQL, sql } from "drizzle-orm";
import type { Subject } from "../../http/principal.ts";
import type { Queryable } from "../../platform/db/client.ts";
import { isUuid } from "../../platform/ids/uuid.ts";
import { covers, grants, standing } from "./grants.ts";

export type ListScope = {
  SuperAdmin: boolean;
  Member: boolean;
  /** Holds an untargeted grant: sees all. */
  HasUnscoped: boolean;
  /** LIKE patterns on the name, for `escape '\'`. */
  Patterns: string[];
  /** Carried for callers to come; a holder of group grants alone lists nothing. */
  Groups: string[];
};

/** The scope of (type, read), in one statement. */
export async function listScope(
  db: Queryable,
  subject: Subject,
  orgId: string,
  type: "stack" | "runner_group" | "runner",
): Promise<ListScope> {
  const nothing = { SuperAdmin: false, Member: false, HasUnscoped: false, Patterns: [], Groups: [] };
  if (!isUuid(orgId)) return nothing;
  const [row] = await db.execute<ListScope>(sql`
    select s.super_admin as "SuperAdmin", s.member as "Member",
      coalesce(bool_or(p.resource_type is not null and p.resource_pattern is null and p.authz_group is null), false) as "HasUnscoped",
      coalesce(array_agg(distinct p.resource_pattern) filter (where p.resource_pattern is not null), '{}') as "Patterns",
      coalesce(array_agg(distinct p.authz_group) filter (where p.authz_group is not null), '{}') as "Groups"
    from ${standing(subject, orgId)} s
    left join ${grants(subject, orgId)} p on s.member and ${covers(type, "read")}
    group by s.super_admin, s.member`);
  return row ?? nothing;
}

/** Whether the scope lets any row through; if not, the list is empty without a query. */
export function seesAnything(scope: ListScope): boolean {
  return scope.SuperAdmin || (scope.Member && (scope.HasUnscoped || scope.Patterns.length > 0));
}

/**
 * Predicate for the list's `where` over the column that holds the name. `like any` escapes with a backslash, its
 * default.
 */
export function inScope(scope: ListScope, name: SQL): SQL {
  if (scope.SuperAdmin || (scope.Member && scope.HasUnscoped)) return sql`true`;
  if (!seesAnything(scope)) return sql`false`;
  return sql`${name} like any(${sql.param(scope.Patterns)}::text[])`;
}
