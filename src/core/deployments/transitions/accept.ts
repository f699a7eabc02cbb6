/**
 * assigned -> running, pending -> planning or applying: the authoritative half of the two-phase claim
 * (docs/rules/runs.md#assignment-has-two-phases).
 */
import { sql } from "drizzle-orm";
import { micros } from "../../../platform/time/time.ts";
import type { Service } from "../../../work/service.ts";
import { unitOfWork, type Work } from "../../../work/unitOfWork.ts";
import { isAccepted } from "../../runs/lifecycle.ts";
import { decideRunEnd, statusWhileRunning } from "../decideRunEnd.ts";
import { type Lane, type LaneRun, lockLaneOfRun } from "../lane.ts";
import { writeChange } from "../writeChange.ts";
import { runMessages } from "./messages.ts";

/** `refused` carries the protocol's code, or none; `why` is public text. Only a replay changes anything. */
export type AcceptOutcome =
  | { outcome: "accepted" }
  | { outcome: "refused"; code: "run_already_terminal" | "accept_response_undeliverable" | null; why: string };

/**
 * Accept `runId` for `runnerId`. The caller has minted credentials before, with no lock held; the lease is checked here
 * again. A second accept by the runner that already accepted means that its first answer was lost: the run ends at once.
 */
export async function acceptRun(service: Service, runId: string, runnerId: string): Promise<AcceptOutcome> {
  return unitOfWork(service, async (work) => {
    const locked = await lockLaneOfRun(work.tx, runId);
    if (!locked) return refuse(null, "The run does not exist any more.");
    const { lane, run } = locked;
    const refusal = refusalOf(lane, run, runnerId);
    if (refusal === "replay") return failReplay(work, lane, run);
    if (refusal) return refusal;
    await start(work, lane, run, runnerId);
    return { outcome: "accepted" };
  });
}

/**
 * Credentials of the run were refused for good, so no runner could execute it: it ends at once, with the reason. Where the run is
 * not this runner's to accept, the answer is what accept's would be.
 */
export async function refuseRun(
  service: Service,
  runId: string,
  runnerId: string,
  why: string,
): Promise<AcceptOutcome> {
  return unitOfWork(service, async (work) => {
    const locked = await lockLaneOfRun(work.tx, runId);
    if (!locked) return refuse(null, "The run does not exist any more.");
    const { lane, run } = locked;
    const refusal = refusalOf(lane, run, runnerId);
    if (refusal !== null && refusal !== "replay") return refusal;
    if (run.status !== "assigned") return refuse(null, `The run is ${run.status}.`);
    const change = decideRunEnd(lane, run, { end: "failure", seenBy: "dispatch", error: why });
    await writeChange(work, lane, { ...change, messages: runMessages(lane, run, "api") });
    return refuse(null, why);
  });
}

/** Why an accept cannot be, the first reason that holds; pure (docs/rules/runner-protocol.md#refusals-of-accept). */
function refusalOf(lane: Pick<Lane, "now">, run: LaneRun, runnerId: string): AcceptOutcome | "replay" | null {
  if (run.status === "discarded" || run.status === "cancelled")
    return refuse("run_already_terminal", `The run is ${run.status}.`);
  if (run.assigned_runner_id !== runnerId) return refuse(null, "The run is not assigned to this runner any more.");
  if (isAccepted(run.status)) return "replay";
  if (run.status !== "assigned") return refuse(null, `The run is ${run.status}.`);
  if (!run.assigned_expires_at || micros(run.assigned_expires_at) <= micros(lane.now))
    return refuse(null, "The lease on the run has lapsed.");
  return null;
}

function refuse(code: "run_already_terminal" | "accept_response_undeliverable" | null, why: string): AcceptOutcome {
  return { outcome: "refused", code, why };
}

async function start(work: Work, lane: Lane, run: LaneRun, runnerId: string): Promise<void> {
  const status = statusWhileRunning(run.kind);
  await writeChange(work, lane, {
    run: { id: run.id, from: "assigned", to: "running", runner: { id: runnerId, status: "busy" } },
    ...(lane.deployment.status === status ? {} : { deployment: { to: status } }),
    event: { name: "deployment_started" },
  });
  await work.tx.execute(sql`
    update runner_groups set last_dispatch_error = null, last_dispatch_error_at = null
    where id = ${run.assigned_group_id}::uuid and last_dispatch_error is not null`);
}

async function failReplay(work: Work, lane: Lane, run: LaneRun): Promise<AcceptOutcome> {
  const error = "The runner asked for the run's context a second time, so its first answer was lost.";
  const change = decideRunEnd(lane, run, { end: "failure", seenBy: "timer", error });
  await writeChange(work, lane, { ...change, messages: runMessages(lane, run, "api") });
  return refuse("accept_response_undeliverable", error);
}
