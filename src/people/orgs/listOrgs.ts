/** The organizations a caller belongs to; a super-admin sees all of them, as in every list. */
import { getTableColumns, type SQL, sql } from "drizzle-orm";
import { type ListQuery, type ListRules, listPage } from "../../http/listQuery.ts";
import type { Principal } from "../../http/principal.ts";
import type { Db } from "../../platform/db/client.ts";
import { UNEXPIRED } from "../authorization/membership.ts";
import type { OrgView } from "./answer.ts";
import { dispatchOrgs, organizations } from "./schema.ts";

export const ORG_LIST = {
  fields: {
    created_at: { value: sql`${organizations.createdAt}`, type: "timestamptz" },
    name: { value: sql`${organizations.name}`, type: "text" },
  },
  byDefault: "created_at",
  id: sql`${organizations.id}`,
  idType: "uuid",
} as const satisfies ListRules<string>;

/** @throws InvalidValueError */
export async function listOrgs(
  db: Db,
  principal: Principal,
  query: ListQuery,
): Promise<{ items: OrgView[]; next_cursor: string | null }> {
  const list = listPage(query, ORG_LIST);
  const rows = await db
    .select({
      ...getTableColumns(organizations),
      throttledUntil: dispatchOrgs.throttledUntil,
      sort_value: list.sortValue,
    })
    .from(organizations)
    .leftJoin(dispatchOrgs, sql`${dispatchOrgs.orgId} = ${organizations.id}`)
    .where(sql`${organizations.id} in (${belongsTo(principal)}) and ${list.after}`)
    .orderBy(list.orderBy)
    .limit(list.limit);
  const { items, next_cursor } = list.cut(rows, (row) => row.id);
  return { items: items.map(({ sort_value, ...row }) => row), next_cursor };
}

/**
 * A token that is bound to one organization shows that one. Two halves for a person, so that few memberships are read
 * by index and the whole table only for a super-admin.
 */
function belongsTo(principal: Principal): SQL {
  if (principal.kind === "service_account") return sql`select ${principal.orgId}::uuid`;
  const { credential } = principal;
  const bound = credential.kind === "personal_access_token" ? sql`= ${credential.orgId}::uuid` : sql`is not null`;
  return sql`select m.org_id from memberships m where m.user_id = ${principal.id} and m.org_id ${bound} and ${UNEXPIRED}
    union all select every.id from organizations every
      where every.id ${bound} and (select u.is_super_admin and u.disabled_at is null from users u where u.id = ${principal.id})`;
}
