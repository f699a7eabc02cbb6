/** The label keys and values of the stacks that the caller may read, for whoever filters by them. */
import { sql } from "drizzle-orm";
import * as v from "valibot";
import type { Subject } from "../../http/principal.ts";
import { inScope, listScope, seesAnything } from "../../people/authorization/listScope.ts";
import type { Queryable } from "../../platform/db/client.ts";

const MOST_KEYS = 500;
const MOST_VALUES = 200;

const truncated = (what: string) => v.pipe(v.boolean(), v.metadata({ description: `Some ${what} were left out` }));
export const LabelsInUse = v.pipe(
  v.object({
    items: v.array(v.object({ key: v.string(), values: v.array(v.string()), truncated: truncated("values") })),
    truncated: truncated("keys"),
  }),
  v.metadata({ ref: "LabelsInUse" }),
);
type LabelsInUse = v.InferOutput<typeof LabelsInUse>;

/** Both are in their order, so that what is left out is always the same. */
export async function readLabels(db: Queryable, subject: Subject, orgId: string): Promise<LabelsInUse> {
  const scope = await listScope(db, subject, orgId, "stack");
  if (!seesAnything(scope)) return { items: [], truncated: false };
  const rows = await db.execute<{ key: string; values: string[] }>(sql`
    select l.key, (array_agg(distinct l.value collate "C" order by l.value collate "C"))[1:${MOST_VALUES + 1}::int] as values
    from stacks s cross join lateral jsonb_each_text(s.labels) l (key, value)
    where s.org_id = ${orgId} and s.deleted_at is null and ${inScope(scope, sql`s.name`)}
    group by l.key order by l.key collate "C" limit ${MOST_KEYS + 1}`);
  return {
    items: rows.slice(0, MOST_KEYS).map(({ key, values }) => ({
      key,
      values: values.slice(0, MOST_VALUES),
      truncated: values.length > MOST_VALUES,
    })),
    truncated: rows.length > MOST_KEYS,
  };
}
