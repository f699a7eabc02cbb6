/**
 * What is live in some organizations, as hints say it: one statement for all of them. Each row has a version that is
 * another one after every change of the deployment or of its run, taken from what Postgres keeps of rows anyway.
 */
import { type SQL, sql } from "drizzle-orm";
import type { Queryable } from "../../platform/db/client.ts";
import { DEPLOYMENT_STATUSES, type DeploymentStatus, isTerminal } from "../deployments/lifecycle.ts";

export type LiveRow = {
  org_id: string;
  id: string;
  /** The stack's id, and what permissions look at. */
  stack: string;
  stack_name: string;
  groups: string[];
  status: DeploymentStatus;
  version: string;
};

const OPEN = sql.raw(
  DEPLOYMENT_STATUSES.filter((status) => !isTerminal(status))
    .map((status) => `'${status}'`)
    .join(", "),
);
/** Of one look, over all organizations. */
const MOST_ROWS = 20_000;

/** Those that have not ended, and those that ended in the last so many seconds. */
export async function readLive(db: Queryable, orgIds: readonly string[], endedSeconds: number): Promise<LiveRow[]> {
  const orgs = sql`${`{${orgIds.join(",")}}`}::uuid[]`;
  return db.execute<LiveRow>(sql`
    select * from (
      ${rows(sql`d.org_id = any(${orgs}) and d.status in (${OPEN})`)}
      union all
      ${rows(sql`d.org_id = any(${orgs}) and d.completed_at > svc_now() - ${endedSeconds}::float8 * interval '1 second'`)}
    ) live limit ${MOST_ROWS}`);
}

function rows(which: SQL): SQL {
  return sql`select d.org_id, d.id, s.slug as stack, s.name as stack_name, s.authz_groups as groups, d.status,
      d.xmin::text || '.' || coalesce(r.xmin::text, '') as version
    from deployments d join stacks s on s.stack_key = d.stack_key and s.deleted_at is null
    left join runs r on r.deployment_id = d.id and r.status in
      ('queued', 'pending', 'assigned', 'running', 'requested_cancellation', 'cancelling')
    where ${which}`;
}
