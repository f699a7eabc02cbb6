/** Which occurrence, on which stack. */
import { type SQL, sql } from "drizzle-orm";

export type OccurrenceKey = { schedule_id: string; occurs_at: string; stack_key: string };

/** Of `schedule_occurrences o`. */
export function ofOccurrence({ schedule_id, occurs_at, stack_key }: OccurrenceKey): SQL {
  return sql`o.schedule_id = ${schedule_id} and o.occurs_at = ${occurs_at}::timestamptz and o.stack_key = ${stack_key}`;
}
