/**
 * What a due deadline of a deployment does: queue policies, and the startup deadline of a run that nobody claimed
 * (docs/stacks.md#policies).
 */
import { sql } from "drizzle-orm";
import type { Tx } from "../../../platform/db/client.ts";
import type { Service } from "../../../work/service.ts";
import { unitOfWork } from "../../../work/unitOfWork.ts";
import { lockLane } from "../lane.ts";
import { writeChange } from "../writeChange.ts";
import { type DeploymentDeadline, decideDeploymentDeadline } from "./decideDeadline.ts";

/** Gates have deadlines of their own, which their rooms carry out. */
const OWN: readonly DeploymentDeadline[] = ["queued_timeout", "confirmation_timeout", "superseded", "startup"];

/**
 * Carry out the deadline of `deploymentId` that is due, if one is. Running it twice changes nothing the second time.
 */
export async function passDeploymentDeadline(service: Service, deploymentId: string): Promise<void> {
  const passed = await unitOfWork(service, async (work) => {
    const lane = await lockLane(work.tx, deploymentId);
    if (!lane) return null;
    const due = await dueDeadline(work.tx, deploymentId, JSON.stringify(service.timeouts));
    const change = due && decideDeploymentDeadline(service.timeouts, lane, due.reason);
    if (change) await writeChange(work, lane, change);
    return due;
  });
  if (passed) service.deadlinePassed?.(passed.reason, passed.overshoot_ms);
}

type Due = { reason: DeploymentDeadline; overshoot_ms: number };

async function dueDeadline(tx: Tx, deploymentId: string, timeouts: string): Promise<Due | null> {
  const [row] = await tx.execute<Due>(sql`
    select l.reason, (extract(epoch from svc_now() - l.due_at) * 1000)::float8 as overshoot_ms
    from deployments d, deadlines(d, ${timeouts}::jsonb) l
    where d.id = ${deploymentId} and l.due_at <= svc_now() and l.reason = any(${sql.param(OWN)}::text[]) order by l.due_at limit 1`);
  return row ?? null;
}
