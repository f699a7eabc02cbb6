/**
 * The stacks of an organization that the caller may read (docs/rules/permissions.md#lists). Two statements: scope and
 * page.
 */
import { type SQL, sql } from "drizzle-orm";
import * as v from "valibot";
import { CommitDigits, type ListRules, listFields, listPage } from "../../http/listQuery.ts";
import { escapeLike } from "../../http/pagination.ts";
import type { Subject } from "../../http/principal.ts";
import { type ActorAnswer, actorColumn } from "../../people/actors/actor.ts";
import { inScope, seesAnything } from "../../people/authorization/listScope.ts";
import { readScope, stackGrants } from "../../people/authorization/stackGrants.ts";
import type { Db, Reader } from "../../platform/db/client.ts";
import { rowColumns } from "../../platform/db/rowColumns.ts";
import { InvalidValueError } from "../../platform/problems/requestErrors.ts";
import { DEPLOYMENT_MODES, DEPLOYMENT_STATUSES } from "../deployments/lifecycle.ts";
import { stackAnswer } from "../stacks/answer.ts";
import { labelFilter } from "../stacks/labelFilter.ts";
import { type StackRow, stacks } from "../stacks/schema.ts";
import { viewOf } from "./stackView.ts";

const RULES = {
  fields: {
    id: { value: sql`${stacks.slug}`, type: "text" },
    name: { value: sql`${stacks.name}`, type: "text" },
    created_at: { value: sql`${stacks.createdAt}`, type: "timestamptz" },
    updated_at: { value: sql`${stacks.updatedAt}`, type: "timestamptz" },
    // A stack that was never deployed sorts as the oldest of all.
    latest_deployment_created_at: {
      value: sql`coalesce(${stacks.latestDeploymentCreatedAt}, '-infinity')`,
      type: "timestamptz",
    },
    // One whose latest deployment goes on, or that has none, sorts as the oldest.
    latest_deployment_completed_at: {
      value: sql`coalesce(${stacks.latestDeploymentCompletedAt}, '-infinity')`,
      type: "timestamptz",
    },
  },
  byDefault: "id",
  id: sql`${stacks.stackKey}`,
  idType: "uuid",
} as const satisfies ListRules<string>;

const COLUMNS = rowColumns(stacks);

const describe = (description: string) =>
  v.optional(v.pipe(v.string(), v.maxLength(2_000), v.metadata({ description })));

export const StackListQuery = v.strictObject({
  ...listFields(Object.keys(RULES.fields)),
  search: describe("Text that the name contains, in any case; no character in it is a wildcard"),
  labels: describe("`key=value` pairs joined by commas; a stack must have them all"),
  latest_deployment_status: describe("Statuses joined by commas; `none` for stacks never deployed"),
  latest_deployment_mode: describe("Modes joined by commas; `none` for stacks never deployed"),
  latest_deployment_commit_sha: CommitDigits,
});
type StackListQuery = v.InferOutput<typeof StackListQuery>;

/** @throws InvalidValueError */
export async function listStacks(
  db: Db,
  subject: Subject,
  orgId: string,
  query: StackListQuery,
  lists: Reader = db,
): Promise<{ items: ReturnType<typeof stackAnswer>[]; next_cursor: string | null }> {
  const list = listPage(query, RULES);
  const filter = filters(query);
  const held = await stackGrants(db, subject, orgId);
  const scope = readScope(held);
  if (!seesAnything(scope)) return { items: [], next_cursor: null };
  const rows = await lists.execute<StackRow & { holder: ActorAnswer | null; sort_value: string }>(sql`
    select ${COLUMNS}, ${actorColumn(sql`${stacks.heldBy}`)} as holder, ${list.sortValue} from ${stacks}
    where ${stacks.orgId} = ${orgId} and ${stacks.deletedAt} is null and ${inScope(scope, sql`${stacks.name}`)}
      and ${filter} and ${list.after}
    order by ${list.orderBy} limit ${list.limit}`);
  const { items, next_cursor } = list.cut(rows, (row) => row.stackKey);
  return { items: items.map((row) => stackAnswer(row, viewOf(held, row, row.holder))), next_cursor };
}

function filters({ search, labels, ...latest }: StackListQuery): SQL {
  const conditions = [sql`true`];
  const {
    latest_deployment_status: status,
    latest_deployment_mode: mode,
    latest_deployment_commit_sha: commit,
  } = latest;
  if (search !== undefined) conditions.push(sql`${stacks.name} ilike ${`%${escapeLike(search)}%`} escape '\\'`);
  if (labels !== undefined) conditions.push(labelFilter(sql`${stacks.labels}`, labels));
  if (status !== undefined) {
    const values = orNone("latest_deployment_status", DEPLOYMENT_STATUSES, status);
    conditions.push(sql`coalesce(${stacks.latestDeploymentStatus}, 'none') = any(${sql.param(values)}::text[])`);
  }
  if (mode !== undefined) {
    const values = orNone("latest_deployment_mode", DEPLOYMENT_MODES, mode);
    conditions.push(sql`coalesce(${stacks.latestDeploymentMode}, 'none') = any(${sql.param(values)}::text[])`);
  }
  if (commit !== undefined) conditions.push(sql`starts_with(${stacks.latestDeploymentCommitSha}, ${commit})`);
  return sql.join(conditions, sql` and `);
}

function orNone(field: string, values: readonly string[], text: string): string[] {
  const allowed = [...values, "none"];
  const filter = text.split(",");
  if (filter.every((value) => allowed.includes(value))) return filter;
  throw new InvalidValueError([{ field, message: "is not one of the allowed values", allowed }]);
}
