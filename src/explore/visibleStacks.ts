/**
 * Which stacks of an organization a caller may read, for reads of the explore database, which knows nothing of permissions:
 * the keys become part of its statements, so that a page is cut after the check and not before.
 */
import { sql } from "drizzle-orm";
import { isUuid } from "../authorization/authorize.ts";
import type { Subject } from "../authorization/subject.ts";
import type { Queryable } from "../db/client.ts";
import { readable, withGrants } from "../dependencies/neighborhood.ts";

export type NamedStack = { key: string; id: string; name: string };

export type VisibleStacks = {
  /** The caller may read every stack there is and will be; then only those that were asked for by id are listed. */
  everything: boolean;
  stacks: NamedStack[];
};

/** One statement. @param ids stacks that are asked for; undefined: all */
export async function visibleStacks(
  main: Queryable,
  subject: Subject,
  orgId: string,
  ids: readonly string[] | undefined,
): Promise<VisibleStacks> {
  if (!isUuid(orgId)) return { everything: false, stacks: [] };
  const asked = ids === undefined ? null : sql.param([...ids]);
  const [row] = (await main.execute(sql`
    with ${withGrants(subject, orgId)},
    scope as materialized (
      select exists (select from viewer where super_admin)
        or exists (select from granted where resource_pattern is null and authz_group is null) as everything
    )
    select scope.everything, (
      select coalesce(jsonb_agg(jsonb_build_object('key', s.stack_key, 'id', s.slug, 'name', s.name)), '[]') from stacks s
      where s.org_id = ${orgId} and s.deleted_at is null and ${readable}
        and (not scope.everything or s.slug = any(${asked}::text[]))) as stacks
    from scope`)) as unknown as [VisibleStacks];
  return row;
}

/** Live stacks by key, for a caller who may read everything. */
export async function namesOf(
  main: Queryable,
  orgId: string,
  keys: readonly string[],
): Promise<Map<string, NamedStack>> {
  if (keys.length === 0) return new Map();
  const rows = (await main.execute(sql`
    select stack_key as key, slug as id, name from stacks
    where org_id = ${orgId} and stack_key = any(${sql.param([...new Set(keys)])}::uuid[]) and deleted_at is null`)) as unknown as NamedStack[];
  return byKey(rows);
}

export function byKey(stacks: readonly NamedStack[]): Map<string, NamedStack> {
  return new Map(stacks.map((stack) => [stack.key, stack]));
}
