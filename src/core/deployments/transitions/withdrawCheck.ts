/** A check for drift is stopped, since somebody's run waits for its place, or since no runner takes it. */
import type { Service } from "../../../work/service.ts";
import { unitOfWork, type Work } from "../../../work/unitOfWork.ts";
import { type Lane, lockLane, lockLaneOfRun } from "../lane.ts";
import { writeChange } from "../writeChange.ts";
import { decideWithdrawCheck } from "./decideWithdrawCheck.ts";

/** By its run. @returns whether it is being stopped, or has ended by it */
export async function withdrawCheck(service: Service, runId: string): Promise<boolean> {
  return unitOfWork(service, async (work) => carryOut(work, (await lockLaneOfRun(work.tx, runId))?.lane ?? null));
}

/** By its deployment, as long as no runner has claimed it. */
export async function withdrawUnclaimed(service: Service, deploymentId: string): Promise<boolean> {
  return unitOfWork(service, async (work) => {
    const lane = await lockLane(work.tx, deploymentId);
    return carryOut(work, lane?.runs.some(({ status }) => status === "pending") === true ? lane : null);
  });
}

async function carryOut(work: Work, lane: Lane | null): Promise<boolean> {
  const change = lane && decideWithdrawCheck(lane);
  if (!lane || !change) return false;
  await writeChange(work, lane, change);
  return true;
}
