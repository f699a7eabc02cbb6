/** Whose deadline may be nearer now that a rule has one (docs/rules/stacks.md#policies-re-arm-what-waits). */
import { sql } from "drizzle-orm";
import type { Tx } from "../../platform/db/client.ts";
import type { OutboxMessage } from "../../work/message.ts";
import type { ApprovalRuleRow } from "./schema.ts";

type Waiting = {
  id: string;
  stack_key: string;
  mode: string;
  origin_type: string;
  woken_at: string | null;
};

/** Of what waits on a stack that one of the rules fits; nobody where they set no limit. */
export async function wakeWaiting(
  tx: Tx,
  orgId: string,
  rules: readonly Pick<ApprovalRuleRow, "selector" | "deadlineMs" | "remindMs">[],
): Promise<OutboxMessage[]> {
  const limited = rules.filter(({ deadlineMs, remindMs }) => deadlineMs !== null || remindMs !== null);
  if (limited.length === 0) return [];
  const fits = limited.map(({ selector }) => sql`s.labels @> ${JSON.stringify(selector)}::jsonb`);
  const rows = await tx.execute<Waiting>(sql`
    select d.id, d.stack_key, d.mode, d.origin_type, d.woken_at from deployments d join stacks s on s.stack_key = d.stack_key
    where d.org_id = ${orgId} and d.status = 'waiting' and d.mode <> 'plan_unlocked' and (${sql.join(fits, sql` or `)}) order by d.id`);
  return rows.map(({ id, stack_key, mode, origin_type, woken_at }) =>
    woken_at === null
      ? {
          kind: "wakeDeployment",
          signal: "policyChanged",
          orgId,
          stackKey: stack_key,
          deploymentId: id,
          mode,
          origin: origin_type,
        }
      : { kind: "signalDeployment", signal: "policyChanged", orgId, deploymentId: id },
  );
}
