/**
 * What a due deadline of a deployment does: queue policies, and the startup deadline of a run that nobody claimed
 * (docs/stacks.md#policies).
 */
import { sql } from "drizzle-orm";
import type { Tx } from "../../../platform/db/client.ts";
import type { Service } from "../../../work/service.ts";
import { unitOfWork } from "../../../work/unitOfWork.ts";
import { type Gate, isGate } from "../../gates/gate.ts";
import { lockLane } from "../lane.ts";
import { writeChange } from "../writeChange.ts";
import { type DeploymentDeadline, decideDeploymentDeadline } from "./decideDeadline.ts";

/**
 * Carry out the deadline of `deploymentId` that is due, if one is. Running it twice changes nothing the second time.
 * Returns the gate whose deadline it is: that is for the gate's room to carry out.
 */
export async function passDeploymentDeadline(service: Service, deploymentId: string): Promise<Gate | null> {
  const passed = await unitOfWork(service, async (work) => {
    const lane = await lockLane(work.tx, deploymentId);
    if (!lane) return null;
    const due = await dueDeadline(work.tx, deploymentId, JSON.stringify(service.timeouts));
    if (due === null || isGate(due.reason)) return due;
    const change = decideDeploymentDeadline(service.timeouts, lane, due.reason);
    if (change) await writeChange(work, lane, change);
    return due;
  });
  if (passed) service.deadlinePassed?.(passed.reason, passed.overshoot_ms);
  return passed && isGate(passed.reason) ? passed.reason : null;
}

type Due = { reason: DeploymentDeadline | Gate; overshoot_ms: number };

async function dueDeadline(tx: Tx, deploymentId: string, timeouts: string): Promise<Due | null> {
  const [row] = await tx.execute<Due>(sql`
    select l.reason, (extract(epoch from svc_now() - l.due_at) * 1000)::float8 as overshoot_ms
    from deployments d, deadlines(d, ${timeouts}::jsonb) l
    where d.id = ${deploymentId} and l.due_at <= svc_now() order by l.due_at limit 1`);
  return row ?? null;
}
