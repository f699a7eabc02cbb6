/**
 * What a due deadline of a deployment does: queue policies, and the startup deadline of a run that nobody claimed
 * (docs/stacks.md#policies).
 */
import { sql } from "drizzle-orm";
import type { Tx } from "../../../platform/db/client.ts";
import type { Service } from "../../../work/service.ts";
import { unitOfWork, type Work } from "../../../work/unitOfWork.ts";
import { decideRunEnd, endLiveRun } from "../decideRunEnd.ts";
import { type Lane, liveRun, lockLane } from "../lane.ts";
import { usesLane } from "../lifecycle.ts";
import { writeChange } from "../writeChange.ts";
import { returnRun } from "./lapse.ts";
import { runMessages } from "./messages.ts";

type DeploymentDeadline = "queued_timeout" | "confirmation_timeout" | "superseded" | "startup";

/** Carry out the deadline of `deploymentId` that is due, if one is. Running it twice changes nothing the second time. */
export async function passDeploymentDeadline(service: Service, deploymentId: string): Promise<void> {
  const passed = await unitOfWork(service, async (work) => {
    const lane = await lockLane(work.tx, deploymentId);
    if (!lane) return null;
    const due = await dueDeadline(work.tx, deploymentId, JSON.stringify(service.timeouts));
    if (due?.reason === "startup") await passStartup(work, service, lane);
    else if (due) await autoSkip(work, lane, due.reason);
    return due;
  });
  if (passed) service.deadlinePassed?.(passed.reason, passed.overshoot_ms);
}

async function passStartup(work: Work, service: Service, lane: Lane): Promise<void> {
  const run = liveRun(lane);
  if (!run) return;
  // The lease lapsed together with the deadline: its return ends it, whichever timer is first.
  if (run.status === "assigned") return returnRun(work, service.timeouts, lane, run, "lapse", "deployment");
  const error = "No runner started the run before its startup deadline.";
  const change = decideRunEnd(lane, run, { end: "startup_timeout", seenBy: "timer", error });
  await writeChange(work, lane, { ...change, messages: runMessages(lane, run, "deployment") });
}

async function autoSkip(work: Work, lane: Lane, reason: Exclude<DeploymentDeadline, "startup">): Promise<void> {
  await writeChange(work, lane, {
    ...endLiveRun(lane, "discarded"),
    stage: "skipped",
    deployment: { to: "skipped", skippedReason: reason },
    event: {
      name: usesLane(lane.deployment.mode) ? "deployment_auto_skipped" : "preview_auto_skipped",
      data: { skipped_reason: reason },
    },
  });
}

type Due = { reason: DeploymentDeadline; overshoot_ms: number };

async function dueDeadline(tx: Tx, deploymentId: string, timeouts: string): Promise<Due | null> {
  const [row] = await tx.execute<Due>(sql`
    select l.reason, (extract(epoch from svc_now() - l.due_at) * 1000)::float8 as overshoot_ms
    from deployments d, deadlines(d, ${timeouts}::jsonb) l
    where d.id = ${deploymentId} and l.due_at <= svc_now() order by l.due_at limit 1`);
  return row ?? null;
}
