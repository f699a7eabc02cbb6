/**
 * The runner groups and runners of an organization that the caller may read: scope, then page
 * (docs/rules/permissions.md#lists).
 */
import { getTableColumns, sql } from "drizzle-orm";
import { type ListQuery, type ListRules, listPage } from "../../http/listQuery.ts";
import type { Subject } from "../../http/principal.ts";
import { inScope, listScope, seesAnything } from "../../people/authorization/listScope.ts";
import type { Db } from "../../platform/db/client.ts";
import { rfc3339 } from "../../platform/time/time.ts";
import { isInFlight } from "../dispatch/inFlight.ts";
import type { Runner } from "./answer.ts";
import { type RunnerGroupRow, runnerGroups } from "./schema.ts";

export const GROUP_LIST = {
  fields: {
    created_at: { value: sql`${runnerGroups.createdAt}`, type: "timestamptz" },
    name: { value: sql`${runnerGroups.name}`, type: "text" },
  },
  byDefault: "created_at",
  id: sql`${runnerGroups.id}`,
  idType: "uuid",
} as const satisfies ListRules<string>;

/** @throws InvalidValueError */
export async function listGroups(
  db: Db,
  subject: Subject,
  orgId: string,
  query: ListQuery,
): Promise<{ items: RunnerGroupRow[]; next_cursor: string | null }> {
  const list = listPage(query, GROUP_LIST);
  const scope = await listScope(db, subject, orgId, "runner_group");
  if (!seesAnything(scope)) return { items: [], next_cursor: null };
  const rows = await db
    .select({ ...getTableColumns(runnerGroups), sort_value: list.sortValue })
    .from(runnerGroups)
    .where(sql`${runnerGroups.orgId} = ${orgId} and ${inScope(scope, sql`${runnerGroups.name}`)} and ${list.after}`)
    .orderBy(list.orderBy)
    .limit(list.limit);
  return list.cut(rows, (row) => row.id);
}

/**
 * While it holds a run, a runner's calls are noted beside the run. Of one that fell silent that note is its last word;
 * what is in its row since is when it was given up.
 */
const SEEN = sql`case when n.status = 'gone' then coalesce(l.last_seen_at, n.last_seen_at)
  else greatest(n.last_seen_at, l.last_seen_at) end`;

export const RUNNER_LIST = {
  fields: {
    created_at: { value: sql`n.created_at`, type: "timestamptz" },
    last_seen_at: { value: SEEN, type: "timestamptz" },
  },
  byDefault: "created_at",
  id: sql`n.id`,
  idType: "uuid",
} as const satisfies ListRules<string>;

/**
 * A runner is known by its group's name. What it is assigned is derived from the run that names it.
 * @throws InvalidValueError
 */
export async function listRunners(
  db: Db,
  subject: Subject,
  orgId: string,
  { group_id, ...query }: ListQuery & { group_id?: string | undefined },
): Promise<{ items: Runner[]; next_cursor: string | null }> {
  const list = listPage(query, RUNNER_LIST);
  const scope = await listScope(db, subject, orgId, "runner");
  if (!seesAnything(scope)) return { items: [], next_cursor: null };
  const ofGroup = group_id === undefined ? sql`true` : sql`n.group_id = ${group_id}::uuid`;
  const rows = await db.execute<Runner & { sort_value: string }>(sql`
    select n.id, n.group_id, n.status, ${SEEN} as last_seen_at, n.created_at, ${list.sortValue}, r.id as assigned_run_id,
      d.id as assigned_deployment_id, s.slug as assigned_stack_id
    from runners n join runner_groups g on g.id = n.group_id
    left join runs r on r.id = n.run_id and r.assigned_runner_id = n.id
      and ${isInFlight(sql`r.status`)}
    left join runs held on held.id = n.run_id and held.assigned_runner_id = n.id
    left join run_liveness l on l.run_id = held.id
    left join deployments d on d.id = r.deployment_id left join stacks s on s.stack_key = d.stack_key
    where n.org_id = ${orgId} and ${inScope(scope, sql`g.name`)} and ${ofGroup} and ${list.after}
    order by ${list.orderBy} limit ${list.limit}`);
  const { items, next_cursor } = list.cut(rows, (row) => row.id);
  return { items: items.map(runnerAnswer), next_cursor };
}

function runnerAnswer({ sort_value, ...row }: Runner & { sort_value: string }): Runner {
  return { ...row, last_seen_at: rfc3339(row.last_seen_at), created_at: rfc3339(row.created_at) };
}
