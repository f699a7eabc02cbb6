/** A stack's deployments, newest first, with filters. */
import { type SQL, sql } from "drizzle-orm";
import * as v from "valibot";
import { CommitDigits, type ListQuery, type ListRules, listFields, listPage, words } from "../../http/listQuery.ts";
import type { Queryable, Reader } from "../../platform/db/client.ts";
import { Instant } from "../../platform/time/instant.ts";
import type { Viewer } from "./dependencyOrigin.ts";
import { DEPLOYMENT_MODES, DEPLOYMENT_STATUSES } from "./lifecycle.ts";
import { readSorted } from "./resource.ts";
import type { DeploymentResource } from "./resourceSchema.ts";
import { ORIGIN_TYPES } from "./schema.ts";

/** What the deployments of a stack, and those of all stacks, can be narrowed to. */
export const DEPLOYMENT_FILTERS = {
  status: words(DEPLOYMENT_STATUSES),
  mode: words(DEPLOYMENT_MODES, "All but checks for drift when absent"),
  origin_type: words(ORIGIN_TYPES),
  created_by: v.optional(v.pipe(v.string(), v.minLength(1), v.maxLength(500))),
  commit_sha: CommitDigits,
  created_after: v.optional(Instant),
  created_before: v.optional(Instant),
};

export const DeploymentListQuery = v.strictObject({
  ...listFields(["created_at", "completed_at"]),
  ...DEPLOYMENT_FILTERS,
});
export type DeploymentListQuery = v.InferOutput<typeof DeploymentListQuery>;

const LIST: ListRules<"created_at" | "completed_at"> = {
  fields: {
    created_at: { value: sql`d.created_at`, type: "timestamptz" },
    completed_at: { value: sql`coalesce(d.completed_at, '-infinity')`, type: "timestamptz" },
  },
  byDefault: "created_at",
  id: sql`d.id`,
  idType: "uuid",
};

/** One page in one statement, whatever the data's size: the page's ids by index, and joined to them its rows. */
export async function listDeployments(
  db: Queryable,
  viewer: Viewer,
  stackKey: string,
  query: DeploymentListQuery,
  lists: Reader = db,
): Promise<{ items: DeploymentResource[]; next_cursor: string | null }> {
  const page = listPage(query as ListQuery, LIST);
  const rows = await readSorted(
    db,
    viewer,
    sql`select d.id, row_number() over (order by ${page.orderBy}) as ord, ${page.sortValue} from deployments d
      where d.stack_key = ${stackKey} and ${page.after} and ${deploymentFilters(query)} order by ${page.orderBy} limit ${page.limitText}`,
    lists,
  );
  const { items, next_cursor } = page.cut(rows, ({ resource }) => resource.id);
  return { items: items.map(({ resource }) => resource), next_cursor };
}

/** Checks are many and nobody's deed: they are listed for who names them. */
export function asksForChecks({ mode }: Pick<DeploymentListQuery, "mode">): boolean {
  return mode?.includes("drift") === true;
}

/** The filters as conditions on a deployment, by its name in the statement. */
export function deploymentFilters(query: Omit<DeploymentListQuery, keyof ListQuery>, d = sql.raw("d")): SQL {
  const conditions: SQL[] = [sql`true`];
  const among = (column: SQL, values: readonly string[] | undefined) => {
    if (values)
      conditions.push(
        sql`${column} in (${sql.join(
          values.map((value) => sql`${value}`),
          sql`, `,
        )})`,
      );
  };
  among(sql`${d}.status`, query.status);
  among(sql`${d}.mode`, query.mode);
  // In words of its own, so that it fits the index whatever the parameters are.
  if (!asksForChecks(query)) conditions.push(sql`${d}.mode <> 'drift'`);
  among(sql`${d}.origin_type`, query.origin_type);
  if (query.created_by) conditions.push(sql`${d}.created_by = ${query.created_by}`);
  if (query.commit_sha) conditions.push(sql`starts_with(${d}.commit_sha, ${query.commit_sha})`);
  if (query.created_after) conditions.push(sql`${d}.created_at >= ${query.created_after}::timestamptz`);
  if (query.created_before) conditions.push(sql`${d}.created_at < ${query.created_before}::timestamptz`);
  return sql.join(conditions, sql` and `);
}
