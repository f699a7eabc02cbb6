/** Reading what the groups of an identity source confer. */
import { sql } from "drizzle-orm";
import { type ListQuery, type ListRules, listPage } from "../../http/listQuery.ts";
import type { Subject } from "../../http/principal.ts";
import type { Db, Queryable } from "../../platform/db/client.ts";
import { requireRow, requireUuids } from "../../platform/problems/requireRow.ts";
import { rfc3339 } from "../../platform/time/time.ts";
import { requireOrg } from "../authorization/authorize.ts";
import type { Binding } from "./bindingFields.ts";
import { assertSourceOf } from "./sourceOf.ts";

export const MANAGE = { type: "identity_source", action: "manage" } as const;

const COLUMNS = sql`b.id, b.group_key, b.created_at, (
  select coalesce(jsonb_agg(jsonb_build_object('id', r.id, 'name', r.name, 'is_system', r.is_system) order by r.id), '[]')
  from group_role_binding_roles br join roles r on r.id = br.role_id where br.binding_id = b.id) as roles`;

function answer(row: Binding): Binding {
  return { ...row, created_at: rfc3339(row.created_at) };
}

export const BINDING_LIST = {
  fields: {
    group_key: { value: sql`b.group_key`, type: "text" },
    created_at: { value: sql`b.created_at`, type: "timestamptz" },
  },
  byDefault: "group_key",
  id: sql`b.id`,
  idType: "uuid",
} as const satisfies ListRules<string>;

/** Needs (identity_source, manage), as every call here. @throws ForbiddenError, NotFoundError, InvalidValueError */
export async function listBindings(
  db: Db,
  subject: Subject,
  orgId: string,
  sourceId: string,
  query: ListQuery,
): Promise<{ items: Binding[]; next_cursor: string | null }> {
  await requireOrg(db, subject, orgId, MANAGE);
  const list = listPage(query, BINDING_LIST);
  await assertSourceOf(db, orgId, sourceId);
  const rows = await db.execute<Binding & { sort_value: string }>(sql`
    select ${COLUMNS}, ${list.sortValue} from group_role_bindings b
    where b.identity_source_id = ${sourceId} and ${list.after}
    order by ${list.orderBy} limit ${list.limit}`);
  const { items, next_cursor } = list.cut(rows, (row) => row.id);
  return { items: items.map(({ sort_value, ...row }) => answer(row)), next_cursor };
}

/** @throws ForbiddenError, NotFoundError */
export async function readBinding(
  db: Db,
  subject: Subject,
  orgId: string,
  sourceId: string,
  bindingId: string,
): Promise<Binding> {
  await requireOrg(db, subject, orgId, MANAGE);
  return loadBinding(db, orgId, sourceId, bindingId);
}

export async function loadBinding(db: Queryable, orgId: string, sourceId: string, bindingId: string): Promise<Binding> {
  requireUuids(sourceId, bindingId);
  const rows = await db.execute<Binding>(sql`
    select ${COLUMNS} from group_role_bindings b join identity_sources s on s.id = b.identity_source_id
    where b.id = ${bindingId} and s.id = ${sourceId} and s.org_id = ${orgId}`);
  return answer(requireRow(rows));
}
