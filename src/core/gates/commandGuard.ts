/**
 * What keeps a command from being run on a stack: nobody can look beforehand at what a script will do, so what has to
 * be looked at before an apply would be left by one (docs/approvals.md#commands).
 */
import { sql } from "drizzle-orm";
import type { Tx } from "../../platform/db/client.ts";
import { ProblemError } from "../../platform/problems/problem.ts";

export type Guard = { kind: "rule" | "policy"; name: string };

/** Rules of approvals about applies, and policies that have to be met, whatever the mode: a command may do anything. */
export async function guardsOf(tx: Tx, stackKey: string): Promise<Guard[]> {
  return tx.execute<Guard>(sql`
    select 'rule' as kind, r.name from stacks s join approval_rules r on r.org_id = s.org_id and s.labels @> r.selector
    where s.stack_key = ${stackKey} and r.modes <> '{}'
    union all
    select 'policy', p.name from stacks s join policies p on p.org_id = s.org_id and s.labels @> p.selector
    where s.stack_key = ${stackKey} and p.enforcement = 'mandatory' and p.version is not null and not exists (
      select from policy_exemptions x where x.policy_id = p.id and x.stack_key = s.stack_key and x.ends_at > svc_now())
    order by kind desc, name`);
}

/** Nobody has said why it is run all the same. */
export class CommandGuardedError extends ProblemError {
  constructor(guards: readonly Guard[]) {
    const names = guards.map(textOf).join(", ");
    super({
      status: 409,
      code: guards.some(({ kind }) => kind === "rule") ? "approvals_missing" : "policy_denied",
      detail: `What is applied on this stack is looked at before (${names}), and nobody can look at what a command will do. Somebody with (stack, break_glass) can run it with a reason, and (policy, override) besides where a policy is named.`,
    });
  }
}

/** "rule production" */
export const textOf = ({ kind, name }: Guard) => `${kind} ${name}`;
