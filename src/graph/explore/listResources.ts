/** The resources of the stacks that a caller may read, searched and paged. Three statements at most. */
import { type SQL, sql } from "drizzle-orm";
import * as v from "valibot";
import { type ListRules, listFields, listPage, words } from "../../http/listQuery.ts";
import { escapeLike } from "../../http/pagination.ts";
import type { Subject } from "../../http/principal.ts";
import type { Queryable, Reader } from "../../platform/db/client.ts";
import type { SqlRow } from "../../platform/db/sqlRow.ts";
import type { indexedResources } from "./schema.ts";
import { isOneOf, type NamedStack, namesOf, type StackKeys, visibleStacks } from "./visibleStacks.ts";

export type ExploreDatabases = { main: Queryable; explore: Reader };

const RULES = {
  fields: { address: { value: sql`r.address`, type: "text" } },
  byDefault: "address",
  id: sql`r.stack_key`,
  idType: "uuid",
} as const satisfies ListRules<string>;

const text = (description: string) =>
  v.optional(v.pipe(v.string(), v.minLength(1), v.maxLength(1_024), v.metadata({ description })));

export const ResourceListQuery = v.strictObject({
  ...listFields(Object.keys(RULES.fields)),
  search: text("Text that the address or the identity contains, in any case; no character in it is a wildcard"),
  stack: text("Ids of stacks joined by commas"),
  type: text("Types joined by commas, such as `aws_vpc`"),
  provider: text("Sources of providers joined by commas, such as `registry.terraform.io/hashicorp/aws`"),
  mode: words(["managed", "data"]),
});
type ResourceListQuery = v.InferOutput<typeof ResourceListQuery>;

export type ResourceRow = SqlRow<
  typeof indexedResources,
  "address" | "mode" | "type" | "provider" | "realm" | "identity"
> & { stack: NamedStack };

type StoredRow = Omit<ResourceRow, "stack"> & SqlRow<typeof indexedResources, "stack_key"> & { sort_value: string };

/** A stack that was deleted a moment ago may make a page shorter than its limit. @throws InvalidValueError */
export async function listResources(
  { main, explore }: ExploreDatabases,
  subject: Subject,
  orgId: string,
  query: ResourceListQuery,
): Promise<{ items: ResourceRow[]; next_cursor: string | null }> {
  const list = listPage(query, RULES);
  const { readable, requested } = await visibleStacks(main, subject, orgId, query.stack?.split(","));
  const within = requested ?? readable;
  if (within?.count === 0) return { items: [], next_cursor: null };
  const rows = await explore.execute<StoredRow>(pageQuery(orgId, within, query, list));
  const { items, next_cursor } = list.cut(rows, (row) => row.stack_key);
  const names = await namesOf(
    main,
    subject,
    orgId,
    items.map((row) => row.stack_key),
  );
  return {
    items: items.flatMap(({ stack_key, sort_value: _, ...row }) => {
      const stack = names.get(stack_key);
      return stack === undefined ? [] : [{ ...row, stack }];
    }),
    next_cursor,
  };
}

/**
 * The order is that of `resources_by_address`; one type or provider has an index of its own in that order, and a search
 * of three characters or more goes over `resources_by_text`.
 * @internal Exported for the test that looks at its plan.
 */
export function pageQuery(
  orgId: string,
  within: StackKeys | null,
  query: Pick<ResourceListQuery, "search" | "type" | "provider" | "mode">,
  list: Pick<ReturnType<typeof listPage>, "sortValue" | "after" | "orderBy" | "limit">,
): SQL {
  return sql`
    select r.stack_key, r.address, r.mode, r.type, r.provider, r.realm, r.identity, ${list.sortValue}
    from explore.resources r
    where r.org_id = ${orgId} ${filters(within, query)} and ${list.after}
    order by ${list.orderBy} limit ${list.limit}`;
}

function filters(
  within: StackKeys | null,
  { search, type, provider, mode }: Pick<ResourceListQuery, "search" | "type" | "provider" | "mode">,
): SQL {
  const conditions: SQL[] = [];
  if (within !== null) conditions.push(sql`and ${isOneOf(sql`r.stack_key`, within)}`);
  if (search !== undefined) conditions.push(sql`and r.searched ilike ${`%${escapeLike(search)}%`}`);
  if (type !== undefined) conditions.push(oneOf(sql`r.type`, type.split(",")));
  if (provider !== undefined) conditions.push(oneOf(sql`r.provider`, provider.split(",")));
  if (mode !== undefined) conditions.push(oneOf(sql`r.mode`, mode));
  return sql.join(conditions, sql` `);
}

/** One value is compared, so that rows come out of the index in the page's order. */
function oneOf(column: SQL, values: readonly string[]): SQL {
  if (values.length === 1) return sql`and ${column} = ${values[0]}`;
  return sql`and ${column} = any(${sql.param([...values])}::text[])`;
}
