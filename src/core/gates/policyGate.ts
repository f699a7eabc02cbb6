/** The gate that closes while an organization's policies look at a plan. */
import { sql } from "drizzle-orm";
import type { Tx } from "../../platform/db/client.ts";
import type { EndedPlan, NewGate } from "./gate.ts";

/** An evaluation that has not ended by then counts as one that failed. */
const LIMIT_MS = 120_000;

export const POLICY_PENDING: NewGate = {
  gate: "policy",
  code: "policy_pending",
  detail: "The organization's policies are looking at the plan; that takes seconds, and two minutes at most.",
  dueMs: LIMIT_MS,
  unattended: true,
};

type PolicyPlan = Omit<EndedPlan, "summary">;

/** Begins the evaluation of a plan that some policy is about. One statement. */
export async function policyGate(tx: Tx, plan: PolicyPlan): Promise<NewGate[]> {
  const begun = await tx.execute(sql`
    insert into policy_evaluations (org_id, deployment_id, plan_run_id)
    select ${plan.orgId}::uuid, ${plan.deploymentId}::uuid, ${plan.planRunId}::uuid
    where exists (select from policies p where p.org_id = ${plan.orgId}::uuid and p.version is not null
      and ${plan.mode} = any(p.modes) and ${JSON.stringify(plan.labels)}::jsonb @> p.selector)
    returning 1`);
  return begun.length > 0 ? [POLICY_PENDING] : [];
}

/**
 * Closes while policies look again, where a mandatory one that counts by now has not seen the plan: it is new or has
 * another version, the stack has got its label, or an exemption was taken away. What was overridden is left alone.
 */
export async function gatesBeforeApply(tx: Tx, plan: PolicyPlan): Promise<NewGate[]> {
  const unseen = await tx.execute(sql`
    select from policies p where p.org_id = ${plan.orgId}::uuid and p.enforcement = 'mandatory' and p.version is not null
      and ${plan.mode} = any(p.modes) and ${JSON.stringify(plan.labels)}::jsonb @> p.selector
      and not exists (select from policy_exemptions x
        where x.policy_id = p.id and x.stack_key = ${plan.stackKey}::uuid and x.ends_at > svc_now())
      and not exists (
        select from (
          select results, overridden_at from policy_evaluations
          where plan_run_id = ${plan.planRunId}::uuid and status = 'done' order by id desc limit 1) e
        where e.overridden_at is not null or e.results @> jsonb_build_array(jsonb_build_object(
          'policy_id', p.id, 'version', p.version, 'enforcement', 'mandatory', 'exemption', null)))
    limit 1`);
  return unseen.length === 0 ? [] : policyGate(tx, plan);
}

/**
 * Whether an hour has come at which what policies said of a plan, or a stack's exemption, holds no longer. What was
 * overridden was overridden whatever the hour.
 */
export async function isAnswerOver(tx: Tx, planRunId: string): Promise<boolean> {
  const over = await tx.execute(sql`
    select from (
      select results from policy_evaluations
      where plan_run_id = ${planRunId} and status = 'done' and overridden_at is null order by id desc limit 1
    ) e cross join jsonb_array_elements(e.results) r
    where r ->> 'enforcement' = 'mandatory'
      and (case when r -> 'exemption' <> 'null' then r #>> '{exemption,ends_at}' else r ->> 'until' end)::timestamptz <= svc_now()
    limit 1`);
  return over.length > 0;
}

/** Whether policies warn of the plan, or deny it and were overridden: a person confirms it then. */
export async function isLeftToPeople(tx: Tx, planRunId: string): Promise<boolean> {
  const [newest] = await tx.execute<{ outcome: string | null }>(sql`
    select outcome from policy_evaluations where plan_run_id = ${planRunId} and status = 'done' order by id desc limit 1`);
  return newest?.outcome === "warned" || newest?.outcome === "denied";
}
