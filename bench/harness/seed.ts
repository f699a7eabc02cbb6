/** Rows to measure against, written in bulk and by the schema's own rules: no trigger or constraint is switched off. */
import type postgres from "postgres";
import { makeToken, tokenHash } from "../../src/people/credentials/format.ts";
import { COMMIT, insertGroup, insertOrg, type KeyedGroup } from "./rows.ts";

/** An organization's own limits, always set and printed: the service's defaults are for trying it out. */
export type OrgLimits = { runsPerHour: number; maxConcurrentRuns: number };

export const WIDE_LIMITS: OrgLimits = { runsPerHour: 1_000_000, maxConcurrentRuns: 10_000 };

export type BenchOrg = { orgId: string; adminToken: string; accountId: string; group: KeyedGroup };

export function limitsText({ runsPerHour, maxConcurrentRuns }: OrgLimits): string {
  return `organization limits: ${runsPerHour} runs per hour, ${maxConcurrentRuns} concurrent runs per group`;
}

/** An organization with a default runner group and a service account that is its admin. */
export async function seedOrg(sql: postgres.Sql, limits: OrgLimits): Promise<BenchOrg> {
  const orgId = await insertOrg(sql, { name: "bench", runsPerHour: limits.runsPerHour });
  const group = await insertGroup(sql, orgId, { capacity: limits.maxConcurrentRuns });
  const adminToken = makeToken("service_account");
  const [account] = await sql`
    with account as (
      insert into service_accounts (org_id, name) values (${orgId}, 'bench') returning id
    ), role as (
      insert into role_assignments (org_id, role_id, service_account_id)
      select ${orgId}, r.id, a.id from account a, roles r where r.name = 'admin' and r.is_system
    ), token as (
      insert into service_account_tokens (service_account_id, name, token_sha256, permissions, expires_at)
      select id, 'bench', ${tokenHash(adminToken)}, '[{"resource_type": "*", "action": "*", "resource_pattern": null, "authz_group": null}]', svc_now() + interval '1 day' from account
    )
    select id from account`;
  return { orgId, adminToken, accountId: account?.id as string, group };
}

/**
 * `count` pending runs of `plan_unlocked` deployments, which take no lane, so that one stack can hold many; they take
 * turns among the stacks and selectors. The first has waited for `ageMs`, each next one a microsecond less.
 */
export async function seedPendingRuns(
  sql: postgres.Sql,
  orgId: string,
  stackKeys: readonly string[],
  selectorIds: readonly string[],
  count: number,
  ageMs = 3_600_000,
): Promise<void> {
  await sql`
    with numbered as (
      select i, uuidv7() as deployment_id, uuidv7() as run_id,
        (${stackKeys as string[]}::uuid[])[1 + i % ${stackKeys.length}] as stack_key,
        (${selectorIds as string[]}::uuid[])[1 + i % ${selectorIds.length}] as selector_id,
        svc_now() - ${ageMs} * interval '1 millisecond' + i * interval '1 microsecond' as at
      from generate_series(0, ${count - 1}) i
    ), d as (
      insert into deployments (id, org_id, stack_key, mode, status, repository_url, branch, working_directory, tool,
        commit_sha, provenance, created_at)
      select deployment_id, ${orgId}, stack_key, 'plan_unlocked', 'pending', 'https://git.example.test/r.git', 'main', '.',
        'terraform', ${COMMIT}, 'branch', at from numbered
    ), r as (
      insert into runs (id, org_id, deployment_id, kind, status, selector_id, state_locked, created_at, first_pending_at)
      select run_id, ${orgId}, deployment_id, 'plan_run', 'pending', selector_id, false, at, at from numbered
    )
    insert into stages (deployment_id, position, kind, phase, run_id, created_at)
    select deployment_id, 1, 'plan_run', 'running', run_id, at from numbered`;
}

/** Bring the planner's statistics and the visibility map up to date after a bulk load. */
export async function settle(sql: postgres.Sql, ...tables: string[]): Promise<void> {
  for (const table of tables) await sql`vacuum analyze ${sql(table)}`;
}

/** The id of the selector of these labels, made when it is new. */
export async function selectorOf(sql: postgres.Sql, orgId: string, labels: Record<string, string>): Promise<string> {
  const [row] = await sql`select ensure_selector(${orgId}, ${sql.json(labels)}) as id`;
  return row?.id as string;
}
