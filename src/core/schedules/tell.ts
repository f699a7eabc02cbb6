/** Tells that an occurrence made no deployment: the first of those in a row that end alike. */
import { sql } from "drizzle-orm";
import { rfc3339 } from "../../platform/time/time.ts";
import { publish } from "../../work/publish.ts";
import type { Work } from "../../work/unitOfWork.ts";
import type { OccurrenceKey } from "./occurrence.ts";
import type { SkipReason } from "./schema.ts";

export type Missed = { status: "skipped" | "failed"; reason: SkipReason | null; error: string | null };

/** A schedule that somebody has paused is no news, nor is a stack that is deleted. */
const SILENT: readonly (SkipReason | null)[] = ["paused", "deleted"];

export async function tellMissed(work: Work, key: OccurrenceKey, { status, reason, error }: Missed): Promise<void> {
  if (SILENT.includes(reason)) return;
  const [row] = await work.tx.execute<{
    org_id: string;
    slug: string;
    stack_name: string;
    name: string;
    known: boolean;
  }>(sql`
    select c.org_id, s.slug, s.name as stack_name, c.name, coalesce((
        select o.status = ${status} and o.reason is not distinct from ${reason}::text from schedule_occurrences o
        where o.schedule_id = c.id and o.stack_key = s.stack_key and o.occurs_at < ${key.occurs_at}::timestamptz
        order by o.occurs_at desc limit 1), false) as known
    from schedules c, stacks s where c.id = ${key.schedule_id} and s.stack_key = ${key.stack_key}`);
  if (row === undefined || row.known) return;
  const data = {
    stack_id: row.slug,
    stack_name: row.stack_name,
    schedule: row.name,
    schedule_id: key.schedule_id,
    occurs_at: rfc3339(key.occurs_at),
    reason,
    error,
  };
  await publish(work, { orgId: row.org_id, name: "schedule_missed", stackKey: key.stack_key, data });
}
