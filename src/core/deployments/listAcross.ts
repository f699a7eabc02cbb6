/**
 * The deployments of all stacks that the caller may read, newest first (docs/rules/permissions.md#lists). Three
 * statements whatever the data's size: what the caller holds, the few stacks that are meant where that narrows, and
 * the page.
 */
import { type SQL, sql } from "drizzle-orm";
import * as v from "valibot";
import { byCreation, type ListQuery, listFields, listPage } from "../../http/listQuery.ts";
import type { Subject } from "../../http/principal.ts";
import { inScope, seesAnything } from "../../people/authorization/listScope.ts";
import { allowedWhere, readScope, type StackGrants, stackGrants } from "../../people/authorization/stackGrants.ts";
import type { Queryable, Reader } from "../../platform/db/client.ts";
import { labelFilter } from "../stacks/labelFilter.ts";
import { DEPLOYMENT_STATUSES, type DeploymentStatus } from "./lifecycle.ts";
import { asksForChecks, DEPLOYMENT_FILTERS, deploymentFilters } from "./list.ts";
import { readSorted } from "./resource.ts";
import type { DeploymentResource } from "./resourceSchema.ts";

export const AcrossQuery = v.strictObject({
  ...listFields(["created_at"]),
  ...DEPLOYMENT_FILTERS,
  labels: v.optional(
    v.pipe(
      v.string(),
      v.maxLength(2_000),
      v.metadata({ description: "`key=value` pairs joined by commas, of the stack; all must fit" }),
    ),
  ),
  waiting_for: v.optional(
    v.pipe(
      v.picklist(["person", "approval"]),
      v.metadata({ description: "Those that wait for somebody: for anything, or for approvals" }),
    ),
  ),
  actionable: v.optional(
    v.pipe(
      v.picklist(["me"]),
      v.metadata({
        description: "Of these, those that the caller may confirm now, or whose missing approval the caller could give",
      }),
    ),
  ),
});
type AcrossQuery = v.InferOutput<typeof AcrossQuery>;

const LIST = byCreation("d");

/** Of so few stacks the newest of each are read; of more, all deployments are walked until the page is full. */
const FEW_STACKS = 100;

/** @throws InvalidValueError */
export async function listAcross(
  db: Queryable,
  subject: Subject,
  orgId: string,
  query: AcrossQuery,
  lists: Reader = db,
): Promise<{ items: DeploymentResource[]; next_cursor: string | null }> {
  const page = listPage(query as ListQuery, LIST);
  const labels = query.labels === undefined ? sql`true` : labelFilter(sql`s.labels`, query.labels);
  const held = await stackGrants(db, subject, orgId);
  const scope = readScope(held);
  const statuses = statusesOf(query);
  if (!seesAnything(scope) || statuses.length === 0) return { items: [], next_cursor: null };
  const everyStack = query.labels === undefined && (scope.SuperAdmin || scope.HasUnscoped);
  const stacks = sql`s.deleted_at is null and ${inScope(scope, sql`s.name`)} and ${labels}`;
  const few = everyStack ? null : await fewStacks(lists, sql`s.org_id = ${orgId} and ${stacks}`);
  const filters = sql`${deploymentFilters({ ...query, status: undefined })} and ${page.after}`;
  const end = sql`order by ${page.orderBy} limit ${page.limitText}`;
  const sources =
    few === null
      ? statuses.flatMap((status) => kindsOf(query).map((kind) => walked(orgId, status, kind)))
      : [ofStacks(few, statuses, sql`${filters} ${end}`)];
  const arms = sources.map(
    (source) => sql`(select d.id, d.created_at from ${source} d
      cross join lateral (select s.* from stacks s where s.stack_key = d.stack_key and ${stacks} offset 0) s
      where ${filters} and ${actionable(query, held, subject)} ${end})`,
  );
  const rows = await readSorted(
    db,
    subject,
    sql`select d.id, row_number() over (order by ${page.orderBy}) as ord, ${page.sortValue}
      from (${sql.join(arms, sql` union all `)}) d ${end}`,
    lists,
  );
  const { items, next_cursor } = page.cut(rows, ({ resource }) => resource.id);
  return { items: items.map(({ resource }) => resource), next_cursor };
}

/** What waits for a person is of one status. */
function statusesOf({ status = DEPLOYMENT_STATUSES, waiting_for, actionable }: AcrossQuery): DeploymentStatus[] {
  const waiting = waiting_for !== undefined || actionable !== undefined;
  return [...new Set(status)].filter((each) => !waiting || each === "waiting");
}

/** The keys of the stacks that are meant; null when they are more than a few. */
async function fewStacks(lists: Reader, stacks: SQL): Promise<string[] | null> {
  const rows = await lists.execute<{ stack_key: string }>(
    sql`select s.stack_key from stacks s where ${stacks} limit ${FEW_STACKS + 1}`,
  );
  return rows.length > FEW_STACKS ? null : rows.map((row) => row.stack_key);
}

/**
 * Of one status: the index has the list's order, and is read until a page is full, since the limit stands right above
 * it and the look at each one's stack cannot be turned round (`offset 0`).
 */
function walked(orgId: string, status: DeploymentStatus, kind: SQL): SQL {
  return sql`(select * from deployments where org_id = ${orgId} and status = ${sql.raw(`'${status}'`)} and ${kind})`;
}

/** Each has an index of its own: checks would stand between all others. */
function kindsOf(query: Pick<AcrossQuery, "mode">): SQL[] {
  const others = query.mode === undefined || query.mode.some((mode) => mode !== "drift");
  return [...(others ? [sql`mode <> 'drift'`] : []), ...(asksForChecks(query) ? [sql`mode = 'drift'`] : [])];
}

/** The newest of each of a few stacks. */
function ofStacks(stackKeys: readonly string[], statuses: readonly DeploymentStatus[], newest: SQL): SQL {
  return sql`(select n.* from unnest(${`{${stackKeys.join(",")}}`}::uuid[]) as k (stack_key) cross join lateral (
    select d.* from deployments d where d.stack_key = k.stack_key and d.status = any(${sql.param([...statuses])}::text[])
      and ${newest}) n)`;
}

/** Needs what the decision itself will need (docs/rules/deployments.md#who-could-create-it). */
function actionable({ actionable: by, waiting_for }: AcrossQuery, held: StackGrants, subject: Subject): SQL {
  // Of the table's own row, which the functions take. `d` has its columns alone.
  const ofRow = (value: SQL) => sql`(select ${value} from deployments w where w.id = d.id)`;
  const lacks = ofRow(sql`missing_approvals(w) is not null`);
  if (by === undefined) return waiting_for === "approval" ? lacks : sql`true`;
  const review = ofRow(sql`awaits_approval_by(w, ${subject.kind}, ${subject.id})`);
  if (waiting_for === "approval") return review;
  const on = { name: sql`s.name`, groups: sql`s.authz_groups` };
  const confirm = sql`case d.mode when 'plan_unlocked' then ${allowedWhere(held, "preview", on)} else ${allowedWhere(held, "confirm", on)} end`;
  return sql`(${confirm} and not ${lacks} or ${review})`;
}
