/** assigned -> pending at once: the claim's answer never reached the poller (docs/rules/runs.md#claims-are-fenced). */
import type { Tx } from "../../../platform/db/client.ts";
import type { Service } from "../../../work/service.ts";
import { unitOfWork } from "../../../work/unitOfWork.ts";
import { lockLaneOfRun } from "../lane.ts";
import { writeChange } from "../writeChange.ts";
import { decideHandBack } from "./decideReturn.ts";

/**
 * Hand back a claim whose answer could not be written. Fenced: another claim of the run is not touched.
 * @param returned what else the claim had taken is given back, in the same transaction; last, since claims lock it
 * first and pass over a locked run
 */
export async function handBack(
  service: Service,
  runId: string,
  claimSeq: number,
  returned: (tx: Tx) => Promise<void>,
): Promise<boolean> {
  return unitOfWork(service, async (work) => {
    const locked = await lockLaneOfRun(work.tx, runId);
    const change = locked && decideHandBack(service.timeouts, locked.lane, locked.run, claimSeq);
    if (!locked || !change) return false;
    await writeChange(work, locked.lane, change);
    await returned(work.tx);
    return true;
  });
}
