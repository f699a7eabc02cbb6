/**
 * Which stacks of an organization a caller may read, for reads of the explore database, which knows nothing of
 * permissions: the keys become part of its statements, so that a page is cut after the check and not before.
 */
import { type SQL, sql } from "drizzle-orm";
import type { Subject } from "../../http/principal.ts";
import type { Queryable } from "../../platform/db/client.ts";
import { isUuid } from "../../platform/ids/uuid.ts";
import { readable, withGrants } from "../dependencies/neighborhood.ts";

export type NamedStack = { key: string; id: string; name: string };

/**
 * Keys of stacks, as Postgres writes an array of them: with ten thousand, reading and writing each of them here would
 * take longer than the page.
 */
export type StackKeys = { array: string; count: number };

export type VisibleStacks = {
  /** All that the caller may read; null: every stack there is and will be. */
  readable: StackKeys | null;
  /** Of those that were asked for by id, the ones that the caller may read; null: nobody asked for any. */
  requested: StackKeys | null;
};

const NONE: StackKeys = { array: "{}", count: 0 };

/** One statement. @param ids stacks that are asked for; undefined: all */
export async function visibleStacks(
  main: Queryable,
  subject: Subject,
  orgId: string,
  ids: readonly string[] | undefined,
): Promise<VisibleStacks> {
  const requested = ids === undefined ? null : sql.param([...ids]);
  if (!isUuid(orgId)) return { readable: NONE, requested: requested && NONE };
  const keysOf = (which: SQL) => sql`
    select jsonb_build_object('array', coalesce(array_agg(s.stack_key), '{}')::text, 'count', count(*)) from stacks s
    where s.org_id = ${orgId} and s.deleted_at is null and ${readable} and ${which}`;
  const [row] = (await main.execute(sql`
    with ${withGrants(subject, orgId)},
    scope as materialized (
      select exists (select from viewer where super_admin)
        or exists (select from granted where resource_pattern is null and authz_group is null) as everything
    )
    select case when not scope.everything then (${keysOf(sql`true`)}) end as readable,
      case when ${requested !== null} then (${keysOf(sql`s.slug = any(${requested}::text[])`)}) end as requested
    from scope`)) as unknown as [VisibleStacks];
  return row;
}

/** Those of `keys` that live and that the caller may read, by key. */
export async function namesOf(
  main: Queryable,
  subject: Subject,
  orgId: string,
  keys: readonly string[],
): Promise<Map<string, NamedStack>> {
  if (keys.length === 0) return new Map();
  const rows = await main.execute<NamedStack>(sql`
    with ${withGrants(subject, orgId)}
    select s.stack_key as key, s.slug as id, s.name from stacks s
    where s.org_id = ${orgId} and s.stack_key = any(${sql.param([...new Set(keys)])}::uuid[]) and s.deleted_at is null
      and ${readable}`);
  return new Map(rows.map((stack) => [stack.key, stack]));
}

/** As many keys are compared one by one where an index does not find them. */
const FEW = 100;

/**
 * Whether `key`, a column of the explore database, is one of `keys`. A few are looked up in an index. Many are hashed
 * once and each row asks the hash: in the recheck of a bitmap, Postgres compares a list one by one, and ten thousand
 * keys there make minutes out of milliseconds. `is true` keeps the planner from turning it into a join that sorts
 * first.
 */
export function isOneOf(key: SQL, { array, count }: StackKeys): SQL {
  if (count <= FEW) return sql`${key} = any(${array}::uuid[])`;
  return sql`(${key} in (select unnest(${array}::uuid[]))) is true`;
}
