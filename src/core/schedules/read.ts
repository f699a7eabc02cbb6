/** Schedules as people read them: of one stack, or of an organization as far as the caller may read. */
import { type SQL, sql } from "drizzle-orm";
import { type ListQuery, type ListRules, listPage } from "../../http/listQuery.ts";
import type { Subject } from "../../http/principal.ts";
import { inScope, seesAnything } from "../../people/authorization/listScope.ts";
import { readScope, stackGrants } from "../../people/authorization/stackGrants.ts";
import type { Queryable } from "../../platform/db/client.ts";
import { requireRow } from "../../platform/problems/requireRow.ts";
import { rfc3339 } from "../../platform/time/time.ts";
import type { Schedule } from "./answer.ts";

export const SCHEDULE_LIST = {
  fields: {
    name: { value: sql`c.name`, type: "text" },
    created_at: { value: sql`c.created_at`, type: "timestamptz" },
  },
  byDefault: "name",
  id: sql`c.id`,
  idType: "uuid",
} as const satisfies ListRules<string>;

type Last = NonNullable<Schedule["last"]>;
type Row = Omit<Schedule, "last"> & { last: Last | null; sort_value: string };
type Found = { items: Schedule[]; next_cursor: string | null };

/** One statement. @throws NotFoundError */
export async function readSchedule(db: Queryable, id: string): Promise<Schedule> {
  const rows = await db.execute<Row>(sql`select ${columns(sql`true`)} where c.id = ${id}`);
  return answer(requireRow(rows));
}

/** Those of the stack itself, and those whose selector fits it: what comes by itself there. */
export async function listStackSchedules(
  db: Queryable,
  { stackKey, orgId, labels }: { stackKey: string; orgId: string; labels: Record<string, string> },
  query: ListQuery,
): Promise<Found> {
  const ofStack = sql`(c.stack_key = ${stackKey} or (c.org_id = ${orgId} and c.selector <@ ${JSON.stringify(labels)}::jsonb))`;
  return listed(db, query, ofStack, sql`o.stack_key = ${stackKey}`);
}

/** Those of selectors are for who may read every stack. Two statements. @throws InvalidValueError */
export async function listSchedules(db: Queryable, subject: Subject, orgId: string, query: ListQuery): Promise<Found> {
  listPage(query, SCHEDULE_LIST);
  const scope = readScope(await stackGrants(db, subject, orgId));
  if (!seesAnything(scope)) return { items: [], next_cursor: null };
  const readable = sql`case when s.stack_key is null then ${scope.SuperAdmin || scope.HasUnscoped}
    else s.deleted_at is null and ${inScope(scope, sql`s.name`)} end`;
  return listed(db, query, sql`c.org_id = ${orgId} and ${readable}`, sql`true`);
}

async function listed(db: Queryable, query: ListQuery, which: SQL, occurrences: SQL): Promise<Found> {
  const page = listPage(query, SCHEDULE_LIST);
  const rows = await db.execute<Row>(sql`
    select ${page.sortValue}, ${columns(occurrences)} where ${which} and ${page.after}
    order by ${page.orderBy} limit ${page.limit}`);
  const { items, next_cursor } = page.cut(rows, ({ id }) => id);
  return { items: items.map(answer), next_cursor };
}

/** @param which of the occurrences are counted */
function columns(which: SQL): SQL {
  return sql`c.id, c.org_id, s.slug as stack_id, c.selector, c.name, c.mode, c.command_bytes, c.once_at as at, c.cron, c.time_zone,
      c.paused, c.next_at, c.created_by, c.created_at, c.updated_at, l.last
    from schedules c left join stacks s on s.stack_key = c.stack_key
    left join lateral (
      select jsonb_build_object('occurs_at', o.occurs_at::text, 'due', count(*) filter (where o.status = 'due'),
        'created', count(*) filter (where o.status = 'created'), 'skipped', count(*) filter (where o.status = 'skipped'),
        'failed', count(*) filter (where o.status = 'failed'), 'reason', min(o.reason), 'error', min(o.error),
        'deployment_id', max(o.deployment_id::text),
        'deployment_status', (select d.status from deployments d where d.id = max(o.deployment_id::text)::uuid)) as last
      from schedule_occurrences o where o.schedule_id = c.id and ${which}
      group by o.occurs_at order by o.occurs_at desc limit 1
    ) l on true`;
}

function answer({ sort_value: _value, ...row }: Row): Schedule {
  const { at, next_at, last, created_at, updated_at } = row;
  return {
    ...row,
    at: rfc3339(at),
    next_at: rfc3339(next_at),
    last: last && { ...last, occurs_at: rfc3339(last.occurs_at) },
    created_at: rfc3339(created_at),
    updated_at: rfc3339(updated_at),
  };
}
