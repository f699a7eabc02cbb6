/**
 * assigned -> running, pending -> planning or applying: the authoritative half of the two-phase claim
 * (docs/rules/runs.md#assignment-has-two-phases).
 */
import { sql } from "drizzle-orm";
import type { Service } from "../../../work/service.ts";
import { unitOfWork, type Work } from "../../../work/unitOfWork.ts";
import { isAnswerOver } from "../../gates/policyGate.ts";
import { type Lane, type LaneRun, lockLaneOfRun } from "../lane.ts";
import { type SealedEnvironment, storeEnvironment } from "../planEnvironments/planEnvironment.ts";
import { writeChange } from "../writeChange.ts";
import {
  type AcceptDecision,
  type AcceptOutcome,
  decideAccept,
  decideAcceptWithout,
  refuseAccept,
} from "./decideAccept.ts";

/** What of the run's context is stored beside it. */
export type KeptOfContext = {
  /** For the apply that may follow. */
  environment: SealedEnvironment | null;
  /** SHA-256 of the token by which the engine opens the stack's state. */
  stateTokenHash: Buffer | null;
};

/**
 * Accept `runId` for `runnerId`. The caller has minted credentials before, with no lock held; the lease is checked here
 * again. A second accept by the runner that already accepted means that its first answer was lost: the run ends at
 * once.
 */
export async function acceptRun(
  service: Service,
  runId: string,
  runnerId: string,
  kept: KeptOfContext = NOTHING,
): Promise<AcceptOutcome> {
  return unitOfWork(service, (work) =>
    carryOut(
      work,
      runId,
      async (lane, run) => {
        const late =
          run.status === "assigned" && run.plan_run_id !== null && (await isAnswerOver(work.tx, run.plan_run_id));
        if (late) return decideAcceptWithout(lane, run, runnerId, TOO_LATE);
        return decideAccept(lane, run, runnerId, kept.stateTokenHash);
      },
      kept.environment,
    ),
  );
}

const TOO_LATE =
  "The hours at which policies let it be applied were over before a runner began. Nothing was changed: deploy it again.";

const NOTHING: KeptOfContext = { environment: null, stateTokenHash: null };

/**
 * Credentials of the run were refused for good, so no runner could execute it: it ends at once, with the reason. Where
 * the run is not this runner's to accept, the answer is what accept's would be.
 */
export async function refuseRun(
  service: Service,
  runId: string,
  runnerId: string,
  why: string,
): Promise<AcceptOutcome> {
  return unitOfWork(service, (work) =>
    carryOut(work, runId, async (lane, run) => decideAcceptWithout(lane, run, runnerId, why)),
  );
}

async function carryOut(
  work: Work,
  runId: string,
  decide: (lane: Lane, run: LaneRun) => Promise<AcceptDecision>,
  environment: SealedEnvironment | null = null,
): Promise<AcceptOutcome> {
  const locked = await lockLaneOfRun(work.tx, runId);
  if (!locked) return refuseAccept(null, "The run does not exist any more.");
  const { lane, run } = locked;
  const { outcome, change } = await decide(lane, run);
  if (change) await writeChange(work, lane, change);
  if (outcome.outcome === "accepted") {
    const others = lane.runs.flatMap(({ id }) => (id === runId ? [] : [id]));
    if (environment !== null) await storeEnvironment(work.tx, runId, environment, others);
    await clearDispatchError(work, run.assigned_group_id);
  }
  return outcome;
}

/** A run that starts shows that its group can start runs. */
async function clearDispatchError({ tx }: Work, groupId: string | null): Promise<void> {
  await tx.execute(sql`
    update runner_groups set last_dispatch_error = null, last_dispatch_error_at = null
    where id = ${groupId}::uuid and last_dispatch_error is not null`);
}
