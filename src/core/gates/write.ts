/** Closing and opening gates. The caller holds the stack's lock. */
import { sql } from "drizzle-orm";
import type { Tx } from "../../platform/db/client.ts";
import type { Gate, NewGate } from "./gate.ts";

/** Close these of a plan; one that is closed already gives this reason from now on. */
export async function closeGates(
  tx: Tx,
  { deploymentId, planRunId }: { deploymentId: string; planRunId: string },
  gates: readonly NewGate[],
): Promise<void> {
  if (gates.length === 0) return;
  await tx.execute(sql`
    insert into deployment_gates (deployment_id, gate, plan_run_id, code, detail, due_at, open_until)
    select ${deploymentId}::uuid, g.gate, ${planRunId}::uuid, g.code, g.detail, t.due_at, case when g."openUntilDue" then t.due_at end
    from jsonb_to_recordset(${JSON.stringify(gates)}::jsonb) as g (gate text, code text, detail text, "dueMs" float8, "openUntilDue" boolean)
    cross join lateral (select svc_now() + g."dueMs" * interval '1 millisecond' as due_at) t
    on conflict (deployment_id, gate) do update set
      plan_run_id = excluded.plan_run_id, code = excluded.code, detail = excluded.detail, due_at = excluded.due_at, open_until = excluded.open_until,
      closed_at = case when deployment_gates.code = excluded.code then deployment_gates.closed_at else excluded.closed_at end`);
}

export async function openGate(tx: Tx, deploymentId: string, gate: Gate): Promise<void> {
  await tx.execute(sql`delete from deployment_gates where deployment_id = ${deploymentId} and gate = ${gate}`);
}
