/** What the database says of the runs, and of the moments at which their deadlines took effect. */
import type postgres from "postgres";
import { type Late, latenessOf, type RunRow } from "./compare.ts";

export async function rowsOf(sql: postgres.Sql): Promise<RunRow[]> {
  return sql<RunRow[]>`select id, status, assignment_attempts as attempts from runs`;
}

/**
 * A claim is followed by its run's return, by its accept, or by the end of the run. An accept that nobody was heard of
 * after is followed by the end alone; one that was repeated ended at once, by the repeat.
 */
export async function lateness(sql: postgres.Sql, silent: readonly string[]): Promise<Late> {
  const spans = await sql<{ what: "lease" | "silence"; ms: number }[]>`
    with told as (
      select run_id, name, occurred_at,
        lead(name) over of_run as next_name, lead(occurred_at) over of_run as next_at
      from domain_events where name in ('run_assigned', 'run_returned', 'deployment_started')
      window of_run as (partition by run_id order by occurred_at, id)
    )
    select 'lease' as what, extract(epoch from coalesce(t.next_at, r.completed_at) - t.occurred_at)::float8 * 1000 as ms
    from told t join runs r on r.id = t.run_id
    where t.name = 'run_assigned' and (t.next_name = 'run_returned' or (t.next_name is null and r.status = 'startup_timeout'))
    union all
    select 'silence', extract(epoch from r.completed_at - t.occurred_at)::float8 * 1000
    from told t join runs r on r.id = t.run_id
    where t.name = 'deployment_started' and r.id = any(${silent as string[]}::uuid[])`;
  return latenessOf(spans);
}
