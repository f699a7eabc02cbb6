/**
 * A decision carried out straight on Postgres by someone with database access: the same transition, the same answer
 * (docs/rules/workflows.md#temporal-away).
 */
import { sql } from "drizzle-orm";
import { carryOutDecision, type DecisionAnswer } from "../../core/deployments/transitions/decide.ts";
import type { Db } from "../../platform/db/client.ts";
import type { Service } from "../../work/service.ts";
import type { Timeouts } from "../../work/timeouts.ts";
import { operator } from "./actor.ts";

/** @returns the stored answer, or null when there is no such deployment. Workflows hear of it through the outbox. */
export async function decideByOperator(
  db: Db,
  timeouts: Timeouts,
  deploymentId: string,
  kind: "confirm" | "skip" | "cancel",
  force: boolean,
): Promise<DecisionAnswer | null> {
  const decision = kind === "confirm" ? { action: "apply" } : force ? { force } : {};
  const actor = operator();
  const [row] = await db.execute<{ id: string }>(sql`
    insert into decisions (org_id, deployment_id, kind, principal_id, principal_kind, arguments, expires_at)
    select org_id, id, ${kind}, ${actor.id}, ${actor.kind}, ${JSON.stringify(decision)}::jsonb, svc_now() + interval '1 minute'
    from deployments where id = ${deploymentId} returning id`);
  if (!row) return null;
  // Nothing of this process sends or wakes: the relay of whoever runs does, and waiting polls look every second.
  const service: Service = {
    db,
    timeouts,
    sendSoon: () => {},
    runsPending: () => {},
    audit: (line) => console.error(JSON.stringify({ channel: "deployment-audit", ...line })),
  };
  await carryOutDecision(service, row.id, "api");
  const [answered] = await db.execute<{
    answer: DecisionAnswer;
  }>(sql`select answer from decisions where id = ${row.id}`);
  return answered?.answer ?? null;
}
