/** Whether a check for drift has a place that somebody's run waits for. */
import { sql } from "drizzle-orm";

/** A run that waits no longer than this is probably being claimed right now. */
const PATIENCE = "5 seconds";
/** A coordinator says four times a minute that it is there. */
const THERE = "2 minutes";

/**
 * Of `caller`, a runner: its run is a check, and another run has waited for its group. Looked at when the check's own
 * runner says that it lives, so that nothing is added to what others do. What cannot be claimed anyway does not count:
 * runs that want a wall where no coordinator of the group has one, and those of an organization that has used up its
 * runs per hour.
 */
export const IN_THE_WAY = sql`(case when run_background and run_status = 'running' then
    exists (select from group_selectors s join runner_groups g on g.id = s.group_id join runs r on r.selector_id = s.selector_id
      where s.group_id = caller.group_id and r.status = 'pending' and not r.background
        and (not r.needs_wall or g.walled_contact_at > svc_now() - ${THERE}::interval)
        and r.first_pending_at < svc_now() - ${PATIENCE}::interval)
    and not exists (select from dispatch_orgs o where o.org_id = caller.org_id and o.throttled_until > svc_now())
  else false end)`;
