/** Deployments that wait in the queues of stacks, with the workflows that creating them starts. */
import type postgres from "postgres";
import { COMMIT } from "../harness/rows.ts";

const DAY_MS = 24 * 3_600_000;

/**
 * Each stack gets so many behind the holder of its lane, written in bulk as creating them writes them, so that the
 * relay starts their workflows.
 * @returns their ids by stack
 */
export async function queueBehind(
  sql: postgres.Sql,
  stackKeys: readonly string[],
  each: number,
): Promise<Map<string, string[]>> {
  const rows = await sql<{ id: string; stack_key: string }[]>`
    with made as (
      insert into deployments (org_id, stack_key, mode, status, repository_url, branch, working_directory, tool, commit_sha, provenance)
      select s.org_id, s.stack_key, 'plan', 'queued', s.repository_url, s.branch, '.', 'terraform', ${COMMIT}, 'branch'
      from stacks s, generate_series(1, ${each}) where s.stack_key = any(${stackKeys as string[]})
      returning id, org_id, stack_key, origin_type
    ), run as (
      insert into runs (org_id, deployment_id, kind, status, selector_id, state_locked)
      select m.org_id, m.id, 'plan_run', 'queued', ensure_selector(m.org_id, '{}'::jsonb), false from made m
      returning id, deployment_id
    ), stage as (
      insert into stages (deployment_id, position, kind, phase, run_id)
      select deployment_id, 1, 'plan_run', 'running', id from run
    ), message as (
      insert into outbox (message, due_at)
      select jsonb_build_object('kind', 'startDeployment', 'orgId', org_id, 'stackKey', stack_key, 'deploymentId', id,
        'mode', 'plan', 'origin', origin_type, 'sleepMs', ${DAY_MS}::int), svc_now() from made
    )
    select id, stack_key from made`;
  return new Map([...Map.groupBy(rows, (row) => row.stack_key)].map(([key, of]) => [key, of.map(({ id }) => id)]));
}
