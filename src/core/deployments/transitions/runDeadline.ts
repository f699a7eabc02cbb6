/**
 * What a due deadline of a run does: decided under the run's lock, by the database's clock
 * (docs/rules/runs.md#silence-ends-a-run).
 */
import { sql } from "drizzle-orm";
import type { Tx } from "../../../platform/db/client.ts";
import type { Service } from "../../../work/service.ts";
import { unitOfWork } from "../../../work/unitOfWork.ts";
import { lockLaneOfRun } from "../lane.ts";
import { writeChange } from "../writeChange.ts";
import { decideRunDeadline, type RunDeadline } from "./decideDeadline.ts";

/** Carry out the deadline of `runId` that is due, if one is. Running it twice changes nothing the second time. */
export async function passRunDeadline(service: Service, runId: string): Promise<void> {
  const passed = await unitOfWork(service, async (work) => {
    const locked = await lockLaneOfRun(work.tx, runId);
    if (!locked) return null;
    const { lane, run } = locked;
    const due = await dueDeadline(work.tx, runId, JSON.stringify(service.timeouts));
    if (due) await writeChange(work, lane, decideRunDeadline(service.timeouts, lane, run, due.reason));
    return due;
  });
  if (passed) service.deadlinePassed?.(passed.reason, passed.overshoot_ms);
}

type Due = { reason: RunDeadline; overshoot_ms: number };

/** The deadline that came due first, read after the locks with the time of now. */
async function dueDeadline(tx: Tx, runId: string, timeouts: string): Promise<Due | null> {
  const [row] = await tx.execute<Due>(sql`
    select d.reason, (extract(epoch from svc_now() - d.due_at) * 1000)::float8 as overshoot_ms
    from runs r, deadlines(r, ${timeouts}::jsonb) d
    where r.id = ${runId} and d.due_at <= svc_now() order by d.due_at limit 1`);
  return row ?? null;
}
