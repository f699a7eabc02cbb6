/**
 * What a due deadline of a run does: decided under the run's lock, by the database's clock
 * (docs/rules/runs.md#silence-ends-a-run).
 */
import { sql } from "drizzle-orm";
import type { Tx } from "../../../platform/db/client.ts";
import type { Service } from "../../../work/service.ts";
import { unitOfWork, type Work } from "../../../work/unitOfWork.ts";
import { decideRunEnd, type RunEnding } from "../decideRunEnd.ts";
import { type Lane, type LaneRun, lockLaneOfRun } from "../lane.ts";
import { writeChange } from "../writeChange.ts";
import { returnRun } from "./lapse.ts";
import { runMessages } from "./messages.ts";

type RunDeadline = "lease" | "max_run_duration" | "inactive" | "silent_cancellation";

const ENDINGS: Record<Exclude<RunDeadline, "lease">, RunEnding> = {
  inactive: { end: "failure", seenBy: "timer", error: "The runner was silent for longer than the execution timeout." },
  silent_cancellation: {
    end: "cancelled",
    seenBy: "timer",
    error: "The runner did not answer the cancellation in time.",
  },
  max_run_duration: { end: "timed_out", seenBy: "timer", error: "The run took longer than it may." },
};

/** Carry out the deadline of `runId` that is due, if one is. Running it twice changes nothing the second time. */
export async function passRunDeadline(service: Service, runId: string): Promise<void> {
  const passed = await unitOfWork(service, async (work) => {
    const locked = await lockLaneOfRun(work.tx, runId);
    if (!locked) return null;
    const due = await dueDeadline(work.tx, runId, JSON.stringify(service.timeouts));
    if (due) await passDue(work, service, locked, due.reason);
    return due;
  });
  if (passed) service.deadlinePassed?.(passed.reason, passed.overshoot_ms);
}

async function passDue(
  work: Work,
  service: Service,
  { lane, run }: { lane: Lane; run: LaneRun },
  due: RunDeadline,
): Promise<void> {
  if (due === "lease") return returnRun(work, service.timeouts, lane, run, "lapse", "lease");
  await writeChange(work, lane, {
    ...decideRunEnd(lane, run, ENDINGS[due]),
    messages: runMessages(lane, run, "lease"),
  });
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
