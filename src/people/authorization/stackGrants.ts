/**
 * Everything that a subject may do on the stacks of an organization, read once and then judged for any number of them
 * in memory, where a check for each would be a statement for each. The rule is that of `permitted`.
 */
import { type SQL, sql } from "drizzle-orm";
import type { Subject } from "../../http/principal.ts";
import type { Queryable } from "../../platform/db/client.ts";
import { isUuid } from "../../platform/ids/uuid.ts";
import { likeMatches } from "./glob.ts";
import { grants, standing } from "./grants.ts";
import type { ListScope } from "./listScope.ts";
import type { Action } from "./matrix.ts";

type StackAction = Action<"stack">;

export type StackGrants = {
  super_admin: boolean;
  /** Empty for who is no member. `*` is every action. */
  grants: { action: StackAction | "*"; pattern: string | null; group: string | null }[];
};

const NOTHING: StackGrants = { super_admin: false, grants: [] };

/** As a column of any statement, which is evaluated once for it; null for a subject without a standing. */
export function stackGrantsColumn(subject: Subject, orgId: string | SQL): SQL {
  return sql`(select jsonb_build_object('super_admin', standing.super_admin, 'grants', coalesce((
      select jsonb_agg(distinct jsonb_build_object('action', p.action, 'pattern', p.resource_pattern, 'group', p.authz_group))
      from ${grants(subject, orgId)} p where standing.member and p.resource_type in ('stack', '*')), '[]'))
    from ${standing(subject, orgId)} standing)`;
}

/** The same in a statement of its own. */
export async function stackGrants(db: Queryable, subject: Subject, orgId: string): Promise<StackGrants> {
  if (!isUuid(orgId)) return NOTHING;
  const [row] = await db.execute<{ held: StackGrants | null }>(
    sql`select ${stackGrantsColumn(subject, orgId)} as held`,
  );
  return row?.held ?? NOTHING;
}

/** Whether these grants allow `action` on the stack of this name and these groups. */
export function grantsAllow(
  { super_admin, grants: held }: StackGrants,
  action: StackAction,
  stack: { name: string; groups: readonly string[] },
): boolean {
  return (
    super_admin ||
    held.some(
      (grant) =>
        (grant.action === action || grant.action === "*") &&
        ((grant.pattern === null && grant.group === null) ||
          (grant.pattern !== null && stack.name !== "" && likeMatches(grant.pattern, stack.name)) ||
          (grant.group !== null && stack.groups.includes(grant.group))),
    )
  );
}

/** What they let a list show; the rule of lists, where groups count for nothing. */
export function readScope({ super_admin, grants: held }: StackGrants): ListScope {
  const reading = held.filter(({ action }) => action === "read" || action === "*");
  return {
    SuperAdmin: super_admin,
    Member: reading.length > 0,
    HasUnscoped: reading.some(({ pattern, group }) => pattern === null && group === null),
    Patterns: reading.flatMap(({ pattern }) => pattern ?? []),
    Groups: reading.flatMap(({ group }) => group ?? []),
  };
}

/** `grantsAllow` as a condition on the columns that hold a stack's name and groups. */
export function allowedWhere({ super_admin, grants: held }: StackGrants, action: StackAction, on: Columns): SQL {
  const counting = held.filter((grant) => grant.action === action || grant.action === "*");
  if (super_admin || counting.some(({ pattern, group }) => pattern === null && group === null)) return sql`true`;
  const patterns = counting.flatMap(({ pattern }) => pattern ?? []);
  const groups = counting.flatMap(({ group }) => group ?? []);
  if (patterns.length + groups.length === 0) return sql`false`;
  return sql`(${on.name} like any(${sql.param(patterns)}::text[]) or ${on.groups} && ${sql.param(groups)}::text[])`;
}

type Columns = { name: SQL; groups: SQL };
