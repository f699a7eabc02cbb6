/**
 * How many runs a group and its organization hold, over a `runner_groups g` in scope: what counts against capacity and
 * cap, for the claim and for the looks that come before it. Both read the index `runs_held`.
 */
import { type SQL, sql } from "drizzle-orm";

/**
 * Whether a run of this status is in a runner's hands: claimed, and not ended. Written out, as the partial indexes on
 * it are.
 */
export const isInFlight = (status: SQL) =>
  sql`${status} in ('assigned', 'running', 'requested_cancellation', 'cancelling')`;

const HELD = isInFlight(sql`h.status`);

/** Checks for drift have a bound of their own in each group, and take no place of the organization's from people. */
export const IN_FLIGHT_OF_ORG = sql`(select count(*) from runs h
  where h.org_id = g.org_id and ${HELD} and not h.background)`;
/** Whether the group may have one more check for drift at once. */
export const ROOM_FOR_CHECKS = sql`g.max_drift_runs > (select count(*) from runs h
  where h.org_id = g.org_id and h.assigned_group_id = g.id and ${HELD} and h.background)`;

export const IN_FLIGHT_OF_GROUP = sql`(select count(*) from runs h
  where h.org_id = g.org_id and h.assigned_group_id = g.id and ${HELD})`;
