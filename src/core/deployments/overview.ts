/**
 * What goes on in an organization, of the stacks that the caller may read: counts of what has not ended, the one that
 * waits longest for a person, stacks on hold or drifted, failures of a day. One statement beside what the caller holds.
 * What ended otherwise is not counted: it grows for ever. Checks for drift are nobody's deed.
 */
import { sql } from "drizzle-orm";
import * as v from "valibot";
import type { Subject } from "../../http/principal.ts";
import { inScope, seesAnything } from "../../people/authorization/listScope.ts";
import { readScope, stackGrants } from "../../people/authorization/stackGrants.ts";
import type { Queryable } from "../../platform/db/client.ts";
import { rfc3339 } from "../../platform/time/time.ts";
import { DEPLOYMENT_STATUSES, isTerminal } from "./lifecycle.ts";

const OPEN = DEPLOYMENT_STATUSES.filter((status) => !isTerminal(status));

export const Overview = v.pipe(
  v.object({
    items: v.pipe(
      v.array(v.object({ status: v.picklist(DEPLOYMENT_STATUSES), count: v.number() })),
      v.metadata({ description: "Deployments that have not ended, by status; a status that none has is left out" }),
    ),
    oldest_waiting: v.nullable(v.object({ id: v.string(), stack_id: v.string(), waiting_since: v.string() })),
    held_stacks: v.number(),
    failed_24h: v.number(),
    drifted_stacks: v.number(),
  }),
  v.metadata({ ref: "Overview" }),
);
type Overview = v.InferOutput<typeof Overview>;

const NOTHING: Overview = { items: [], oldest_waiting: null, held_stacks: 0, failed_24h: 0, drifted_stacks: 0 };

export async function readOverview(db: Queryable, subject: Subject, orgId: string): Promise<Overview> {
  const scope = readScope(await stackGrants(db, subject, orgId));
  if (!seesAnything(scope)) return NOTHING;
  const readable = sql`s.deleted_at is null and ${inScope(scope, sql`s.name`)}`;
  const of = sql`deployments d join stacks s on s.stack_key = d.stack_key`;
  const open = sql.raw(`d.status in (${OPEN.map((status) => `'${status}'`).join(", ")})`);
  const [row] = await db.execute<Overview>(sql`
    select
      (select coalesce(jsonb_agg(jsonb_build_object('status', c.status, 'count', c.count) order by c.status), '[]') from (
        select d.status, count(*)::int from ${of} where d.org_id = ${orgId} and ${open} and d.mode <> 'drift' and ${readable} group by d.status) c) as items,
      (select jsonb_build_object('id', d.id, 'stack_id', s.slug, 'waiting_since', d.waiting_since) from ${of}
        where d.org_id = ${orgId} and d.status = 'waiting' and ${readable} order by d.waiting_since, d.id limit 1) as oldest_waiting,
      (select count(*)::int from stacks s where s.org_id = ${orgId} and s.held_at is not null and ${readable}) as held_stacks,
      (select count(*)::int from ${of} where d.org_id = ${orgId} and d.status = 'failed' and d.mode <> 'drift'
        and d.completed_at > svc_now() - interval '24 hours' and ${readable}) as failed_24h,
      (select count(*)::int from stack_drift f join stacks s on s.stack_key = f.stack_key
        where f.org_id = ${orgId} and f.status = 'drifted' and ${readable}) as drifted_stacks`);
  if (!row) throw new Error("the overview has no row");
  const { oldest_waiting: oldest } = row;
  return { ...row, oldest_waiting: oldest && { ...oldest, waiting_since: rfc3339(oldest.waiting_since) } };
}
