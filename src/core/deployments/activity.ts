/**
 * The activity log of a deployment: what principals did to it, and what was done on their behalf
 * (docs/rules/transitions.md#the-activity-log).
 */
import { sql } from "drizzle-orm";
import * as v from "valibot";
import { byCreation, type ListQuery, listFields, listPage } from "../../http/listQuery.ts";
import { actorColumn } from "../../people/actors/actor.ts";
import type { Reader } from "../../platform/db/client.ts";
import { rfc3339 } from "../../platform/time/time.ts";
import type { ActivityEntry } from "./resourceSchema.ts";

export const ActivityQuery = v.strictObject(listFields(["created_at"]));

const LIST = byCreation("e");

/**
 * Oldest first unless asked otherwise: it is read as a story. Over `deployment_events_by_deployment`.
 * @throws InvalidValueError
 */
export async function readActivity(
  lists: Reader,
  deploymentId: string,
  query: ListQuery,
): Promise<{ items: ActivityEntry[]; next_cursor: string | null }> {
  const list = listPage({ ...query, order: query.order ?? "asc" }, LIST);
  const rows = await lists.execute<ActivityEntry & { sort_value: string }>(sql`
    select e.id, e.kind, e.actor_id, e.actor_kind,
      ${actorColumn(sql`e.actor_id`, sql`e.actor_kind`)} as actor, e.stage_id, e.details, e.created_at, ${list.sortValue}
    from deployment_events e where e.deployment_id = ${deploymentId} and ${list.after}
    order by ${list.orderBy} limit ${list.limit}`);
  const { items, next_cursor } = list.cut(rows, (row) => row.id);
  return {
    items: items.map(({ sort_value, ...row }) => ({ ...row, created_at: rfc3339(row.created_at) })),
    next_cursor,
  };
}
