/** Writes down the occurrences that are due, one row for each stack, and when each schedule comes next. */
import { sql } from "drizzle-orm";
import type { Service } from "../../work/service.ts";
import { unitOfWork } from "../../work/unitOfWork.ts";
import type { OccurrenceKey } from "./occurrence.ts";
import { tellMissed } from "./tell.ts";
import { nextOccurrence } from "./timing.ts";

/** How long what became of an occurrence can be read. */
const KEPT = "90 days";

type Due = { next_at: string; now: string; at: string | null; cron: string | null; time_zone: string; gone: boolean };

/** Some of an organization's, the longest due first. */
export async function beginOccurrences(service: Service, orgId: string, most: number): Promise<void> {
  const rows = await service.db.execute<{ id: string }>(sql`
    select id from schedules where org_id = ${orgId} and next_at <= svc_now() order by next_at, id limit ${most}::int`);
  for (const { id } of rows) await beginOccurrence(service, id);
}

/**
 * However long the service was away, what is due is one occurrence: the next is after now. One before it that is still
 * to be settled is overtaken.
 */
async function beginOccurrence(service: Service, id: string): Promise<void> {
  await unitOfWork(service, async (work) => {
    const { tx } = work;
    const [due] = await tx.execute<Due>(sql`
      select c.next_at::text, svc_now()::text as now, c.once_at::text as at, c.cron, c.time_zone,
        exists (select from stacks s where s.stack_key = c.stack_key and s.deleted_at is not null) as gone
      from schedules c where c.id = ${id} and c.next_at <= svc_now() for no key update`);
    if (due === undefined) return;
    const overtaken = await tx.execute<OccurrenceKey & { error: string | null }>(sql`
      update schedule_occurrences set status = 'skipped', reason = 'overtaken', due_at = null
      where schedule_id = ${id} and due_at is not null returning schedule_id, occurs_at::text, stack_key, error`);
    for (const { error, ...key } of overtaken)
      await tellMissed(work, key, { status: "skipped", reason: "overtaken", error });
    await tx.execute(sql`
      insert into schedule_occurrences (schedule_id, occurs_at, stack_key, org_id, due_at)
      select c.id, c.next_at, s.stack_key, c.org_id, svc_now() from schedules c
      join stacks s on s.org_id = c.org_id and (s.stack_key = c.stack_key or (s.labels @> c.selector and s.deleted_at is null))
      where c.id = ${id} on conflict do nothing`);
    await tx.execute(sql`
      delete from schedule_occurrences
      where schedule_id = ${id} and occurs_at < svc_now() - ${KEPT}::interval and due_at is null`);
    const next = due.gone ? null : nextOccurrence(due, new Date(due.now));
    await tx.execute(sql`update schedules set next_at = ${next?.toISOString() ?? null}::timestamptz where id = ${id}`);
  });
}
