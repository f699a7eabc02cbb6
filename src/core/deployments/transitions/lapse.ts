/**
 * assigned -> pending: the lease lapsed unaccepted, or the claim's answer never reached the poller
 * (docs/rules/runs.md#a-lease-that-lapses).
 */

import type { Tx } from "../../../platform/db/client.ts";
import { micros } from "../../../platform/time/time.ts";
import type { Service } from "../../../work/service.ts";
import type { Timeouts } from "../../../work/timeouts.ts";
import { unitOfWork, type Work } from "../../../work/unitOfWork.ts";
import { decideRunEnd } from "../decideRunEnd.ts";
import { type Lane, type LaneRun, lockLaneOfRun } from "../lane.ts";
import { writeChange } from "../writeChange.ts";
import { runMessages, type Via } from "./messages.ts";

/**
 * Give an assigned run back to its queue. A lapse counts one attempt, a hand-back none; the lapse that reaches
 * RUNNER_MAX_ASSIGNMENT_ATTEMPTS, and any return after RUNNER_STARTUP_DEADLINE, ends the run `startup_timeout`.
 */
export async function returnRun(
  work: Work,
  timeouts: Timeouts,
  lane: Lane,
  run: LaneRun,
  cause: "lapse" | "hand_back",
  via: Via,
): Promise<void> {
  const attempts = cause === "lapse" ? 1 : 0;
  const why = gaveUp(timeouts, lane, run, attempts);
  if (why) {
    const change = decideRunEnd(lane, run, {
      end: "startup_timeout",
      seenBy: "timer",
      error: why,
      addAttempts: attempts,
    });
    await writeChange(work, lane, { ...change, messages: runMessages(lane, run, via) });
    return;
  }
  await writeChange(work, lane, {
    run: { id: run.id, from: "assigned", to: "pending", addAttempts: attempts },
    event: { name: "run_returned", data: { cause } },
    messages: via === "lease" ? [] : [{ kind: "signalLease", runId: run.id, signal: "finished" }],
  });
  work.pendingSelectors.add(run.selector_id);
}

function gaveUp(timeouts: Timeouts, lane: Lane, run: LaneRun, attempts: number): string | null {
  if (attempts > 0 && run.assignment_attempts + attempts >= timeouts.maxAssignmentAttempts) {
    return `No runner accepted the run in ${timeouts.maxAssignmentAttempts} assignments.`;
  }
  const startupDeadline = micros(run.first_pending_at ?? lane.now) + timeouts.startupDeadlineMs * 1000;
  return micros(lane.now) >= startupDeadline ? "No runner started the run before its startup deadline." : null;
}

/**
 * Hand back a claim whose answer could not be written. Fenced: another claim of the run is not touched.
 * @param returned what else the claim had taken is given back, in the same transaction; last, since claims lock it first and
 * pass over a locked run
 */
export async function handBack(
  service: Service,
  runId: string,
  claimSeq: number,
  returned: (tx: Tx) => Promise<void>,
): Promise<boolean> {
  return unitOfWork(service, async (work) => {
    const locked = await lockLaneOfRun(work.tx, runId);
    if (locked?.run.status !== "assigned" || locked.run.claim_seq !== claimSeq) return false;
    await returnRun(work, service.timeouts, locked.lane, locked.run, "hand_back", "api");
    await returned(work.tx);
    return true;
  });
}
