/** How a dependent of an apply stands, in one word: for lists, filters and what a cascade says of itself. */
import { sql } from "drizzle-orm";

/** `open`: still to be triggered; `manual`: waits for a person; `failed`: given up, with its error. */
export const DEPENDENT_STATES = ["open", "triggered", "manual", "skipped", "failed"] as const;

/** Of a row `t` of `dependent_triggers`; exactly one holds. `open` is what `OPEN` in `openTriggers.ts` says. */
export const STATE = sql`case
  when t.triggered_deployment_id is not null then 'triggered'
  when t.error is not null then 'failed'
  when t.trigger = 'manual' and coalesce(t.skipped_reason, 'manual_trigger') = 'manual_trigger' then 'manual'
  when t.trigger = 'always' and t.skipped_reason is null then 'open'
  else 'skipped' end`;
