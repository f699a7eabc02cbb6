/**
 * How many runs a group and its organization hold, over a `runner_groups g` in scope: what counts against capacity and cap, for
 * the claim and for the looks that come before it. Both read the index `runs_held`.
 */
import { sql } from "drizzle-orm";

const HELD = sql`h.status in ('assigned', 'running', 'requested_cancellation', 'cancelling')`;

export const HELD_BY_ORG = sql`(select count(*) from runs h where h.org_id = g.org_id and ${HELD})`;
export const HELD_BY_GROUP = sql`(select count(*) from runs h
  where h.org_id = g.org_id and h.assigned_group_id = g.id and ${HELD})`;
