/** The findings that concern what a caller may read. Three statements at most. */
import { type SQL, sql } from "drizzle-orm";
import * as v from "valibot";
import { type ListRules, listFields, listPage, words } from "../../http/listQuery.ts";
import type { Subject } from "../../http/principal.ts";
import type { Queryable } from "../../platform/db/client.ts";
import type { SqlRow } from "../../platform/db/sqlRow.ts";
import { isUuid } from "../../platform/ids/uuid.ts";
import type { ExploreDatabases } from "./listResources.ts";
import { type exploreReports, FINDING_KINDS, type findings } from "./schema.ts";
import { isOneOf, type NamedStack, namesOf, type StackKeys, visibleStacks } from "./visibleStacks.ts";

const RULES = {
  fields: { kind: { value: sql`f.kind`, type: "text" } },
  byDefault: "kind",
  id: sql`f.key`,
  idType: "text",
} as const satisfies ListRules<string>;

export const FindingListQuery = v.strictObject({
  ...listFields(Object.keys(RULES.fields)),
  kind: words(FINDING_KINDS),
  stack: v.optional(
    v.pipe(
      v.string(),
      v.minLength(1),
      v.maxLength(1_024),
      v.metadata({ description: "Ids of stacks joined by commas" }),
    ),
  ),
});
type FindingListQuery = v.InferOutput<typeof FindingListQuery>;

export type FindingRow = SqlRow<typeof findings, "key" | "kind" | "stack_count" | "details"> & {
  /** At most `SHOWN`; null: not for the caller to know. Those come last. */
  stacks: (NamedStack | null)[];
};

/** How far the findings can be relied on; null: not computed yet. */
export type FindingsState = SqlRow<typeof exploreReports, "computed_at" | "cycles_complete" | "orphans_complete">;

/** Stacks shown with one finding. */
const SHOWN = 20;

/** @throws InvalidValueError */
export async function listFindings(
  { main, explore }: ExploreDatabases,
  subject: Subject,
  orgId: string,
  query: FindingListQuery,
): Promise<{ items: FindingRow[]; next_cursor: string | null; state: FindingsState }> {
  const list = listPage(query, RULES);
  const { readable, requested } = await visibleStacks(main, subject, orgId, query.stack?.split(","));
  const nothing = { computed_at: null, cycles_complete: null, orphans_complete: null };
  if (readable?.count === 0) return { items: [], next_cursor: null, state: nothing };
  const rows = await explore.execute<StoredFinding>(sql`
    select f.key, f.kind, f.stack_keys, f.stack_count, f.details, ${list.sortValue} from explore.findings f
    where f.org_id = ${orgId} and ${concerns(readable)} ${query.kind === undefined ? sql`` : sql`and f.kind = any(${sql.param(query.kind)}::text[])`}
      ${requested === null ? sql`` : sql`and f.stack_keys && ${requested.array}::uuid[]`} and ${list.after}
    order by ${list.orderBy} limit ${list.limit}`);
  const { items, next_cursor } = list.cut(rows, (row) => row.key);
  const keys = items.flatMap((row) => row.stack_keys);
  const [names, state] = await Promise.all([namesOf(main, subject, orgId, keys), stateOf(main, orgId)]);
  return { items: items.map((row) => shown(row, names)), next_cursor, state: state ?? nothing };
}

type StoredFinding = Omit<FindingRow, "stacks"> & SqlRow<typeof findings, "stack_keys"> & { sort_value: string };

/**
 * A cycle or a duplicate concerns everybody who may read one of its stacks; the others are hidden in it. An orphan
 * would tell whether the stack it names exists, which a missing one and an unreadable one must not: it is for those who
 * may read both ends, or everything.
 */
function concerns(keys: StackKeys | null): SQL {
  if (keys === null) return sql`true`;
  const one = isOneOf(sql`k`, keys);
  return sql`case f.kind
    when 'orphan' then f.details->>'reason' <> 'stack_missing' and not exists (select from unnest(f.stack_keys) k where not ${one})
    else exists (select from unnest(f.stack_keys) k where ${one}) end`;
}

function shown(
  { key, kind, stack_keys, stack_count, details }: StoredFinding,
  names: Map<string, NamedStack>,
): FindingRow {
  const known = stack_keys.flatMap((stackKey) => names.get(stackKey) ?? []);
  const hidden = Array<null>(stack_keys.length - known.length).fill(null);
  // The order of keys would tell when each was made. An orphan's own stack comes first, then the one it names.
  if (kind !== "orphan") known.sort((a, b) => (a.id < b.id ? -1 : 1));
  return { key, kind, stacks: [...known, ...hidden].slice(0, SHOWN), stack_count, details };
}

async function stateOf(main: Queryable, orgId: string): Promise<FindingsState | undefined> {
  if (!isUuid(orgId)) return undefined;
  const [row] = await main.execute<FindingsState>(sql`
    select computed_at, cycles_complete, orphans_complete from explore_reports where org_id = ${orgId}`);
  return row;
}
