/** The stacks of an organization that are checked, as far as the caller may read them. */
import { sql } from "drizzle-orm";
import * as v from "valibot";
import { type ListQuery, type ListRules, listFields, listPage, words } from "../../http/listQuery.ts";
import type { Subject } from "../../http/principal.ts";
import { inScope, seesAnything } from "../../people/authorization/listScope.ts";
import { readScope, stackGrants } from "../../people/authorization/stackGrants.ts";
import type { Queryable } from "../../platform/db/client.ts";
import { rfc3339 } from "../../platform/time/time.ts";
import { labelFilter } from "../stacks/labelFilter.ts";
import type { DriftItem } from "./answer.ts";
import { DRIFT_STATUSES } from "./schema.ts";

const LIST = {
  fields: { since: { value: sql`d.since`, type: "timestamptz" }, name: { value: sql`s.name`, type: "text" } },
  byDefault: "since",
  id: sql`d.stack_key`,
  idType: "uuid",
} as const satisfies ListRules<string>;

export const DriftQuery = v.strictObject({
  ...listFields(Object.keys(LIST.fields)),
  status: words(DRIFT_STATUSES),
  labels: v.optional(
    v.pipe(
      v.string(),
      v.maxLength(2_000),
      v.metadata({ description: "`key=value` pairs joined by commas, of the stack; all must fit" }),
    ),
  ),
});
type DriftQuery = v.InferOutput<typeof DriftQuery>;

type Row = DriftItem & { stack_key: string; sort_value: string };

/** Two statements: what the caller holds, and the page. @throws InvalidValueError */
export async function listDrift(
  db: Queryable,
  subject: Subject,
  orgId: string,
  query: DriftQuery,
): Promise<{ items: DriftItem[]; next_cursor: string | null }> {
  const page = listPage(query as ListQuery, LIST);
  const labels = query.labels === undefined ? sql`true` : labelFilter(sql`s.labels`, query.labels);
  const scope = readScope(await stackGrants(db, subject, orgId));
  if (!seesAnything(scope)) return { items: [], next_cursor: null };
  const statuses = query.status ? sql`d.status = any(${`{${query.status.join(",")}}`}::text[])` : sql`true`;
  const rows = await db.execute<Row>(sql`
    select d.stack_key, ${page.sortValue}, s.slug as stack_id, s.name as stack_name, s.labels as stack_labels, d.status, d.since,
      d.checked_at, d.checked_id as checked_deployment_id, d.error, d.total, d.ignored, d.due_at as next_check_at, d.put_off,
      d.check_id as running_deployment_id, d.reconcile_id as reconcile_deployment_id
    from stack_drift d join stacks s on s.stack_key = d.stack_key
    where d.org_id = ${orgId} and s.deleted_at is null and (d.effective is not null or d.checked_at is not null)
      and ${inScope(scope, sql`s.name`)} and ${statuses} and ${labels} and ${page.after}
    order by ${page.orderBy} limit ${page.limit}`);
  const { items, next_cursor } = page.cut(rows, ({ stack_key }) => stack_key);
  return { items: items.map(answer), next_cursor };
}

function answer({ stack_key: _key, sort_value: _value, ...item }: Row): DriftItem {
  return {
    ...item,
    since: rfc3339(item.since),
    checked_at: rfc3339(item.checked_at),
    next_check_at: rfc3339(item.next_check_at),
  };
}
