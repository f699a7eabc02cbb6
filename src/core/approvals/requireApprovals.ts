/** Approvals that something else than a rule asks for, written in the transaction that finds them necessary. */
import { sql } from "drizzle-orm";
import type { Tx } from "../../platform/db/client.ts";

/** A plan, under the lock of its stack. */
export type PlanUnderReview = { orgId: string; deploymentId: string; planRunId: string };

export type RequiredApproval = {
  /** 1 to 10; more is cut, since nobody could give them. */
  count: number;
  /**
   * Whose approvals count: `role:NAME` or only `NAME`, `group:KEY` of any of the organization's identity sources,
   * `service_account:NAME`. Empty: whoever may review the stack. A name that nobody bears is shown as unknown and is
   * met by nobody.
   */
  from: readonly string[];
  /** What people know it by, such as the policy's name. */
  name: string;
  /** Shown to whoever looks at the deployment. */
  reason: string | null;
};

/**
 * Ask for these approvals of the plan, and for none that the same source asked for before. They end with the plan, as
 * do reviews. Whoever decides afterwards in the same transaction locks the lane anew, and finds them there as
 * `approvals`.
 */
export async function requireApprovals(
  tx: Tx,
  { orgId, deploymentId, planRunId }: PlanUnderReview,
  source: "policy",
  approvals: readonly RequiredApproval[],
): Promise<void> {
  const rows = approvals.map(({ count, from, name, reason }) => ({
    count: Math.min(Math.max(Math.trunc(count), 1), 10),
    name: name.slice(0, 200) || source,
    reason: reason?.slice(0, 2_000) ?? null,
    ...namesOf(from),
  }));
  await tx.execute(sql`
    delete from approval_requirements where plan_run_id = ${planRunId} and source = ${source}`);
  if (rows.length === 0) return;
  await tx.execute(sql`
    insert into approval_requirements (org_id, deployment_id, plan_run_id, source, name, reason, count, approvers)
    select ${orgId}::uuid, ${deploymentId}::uuid, ${planRunId}::uuid, ${source}, a.name, a.reason, a.count,
      jsonb_build_object('roles', role.ids, 'groups', member.list, 'service_accounts', account.ids)
      || case when role.unknown || member.unknown || account.unknown = '[]' then '{}'
        else jsonb_build_object('unknown', role.unknown || member.unknown || account.unknown) end
    from rows from (jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as (count int, name text, reason text, roles jsonb, groups jsonb, accounts jsonb))
      with ordinality as a (count, name, reason, roles, groups, accounts, place)
    cross join lateral (
      select coalesce(jsonb_agg(r.id) filter (where r.id is not null), '[]') as ids,
        coalesce(jsonb_agg('role ' || n.name) filter (where r.id is null), '[]') as unknown
      from jsonb_array_elements_text(a.roles) as n (name)
      left join roles r on r.name = n.name and (r.org_id is null or r.org_id = ${orgId}::uuid)) role
    cross join lateral (
      select coalesce(jsonb_agg(jsonb_build_object('identity_source_id', s.id, 'group_key', n.name)) filter (where s.id is not null), '[]') as list,
        coalesce(jsonb_agg('group ' || n.name) filter (where s.id is null), '[]') as unknown
      from jsonb_array_elements_text(a.groups) as n (name) left join identity_sources s on s.org_id = ${orgId}::uuid) member
    cross join lateral (
      select coalesce(jsonb_agg(t.id) filter (where t.id is not null), '[]') as ids,
        coalesce(jsonb_agg('service account ' || n.name) filter (where t.id is null), '[]') as unknown
      from jsonb_array_elements_text(a.accounts) as n (name)
      left join service_accounts t on t.name = n.name and t.org_id = ${orgId}::uuid) account
    order by a.place`);
}

/** By what they name. */
function namesOf(from: readonly string[]): { roles: string[]; groups: string[]; accounts: string[] } {
  const of = (prefix: string) =>
    from.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
  const [groups, accounts] = [of("group:"), of("service_account:")];
  const named = from.filter((name) => !name.startsWith("group:") && !name.startsWith("service_account:"));
  return { roles: named.map((name) => name.replace(/^role:/, "")), groups, accounts };
}
