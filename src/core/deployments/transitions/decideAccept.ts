/**
 * What an accept means for the run it names: started, refused, or a replay that ends it. Pure; `accept.ts` writes it.
 */
import { micros } from "../../../platform/time/time.ts";
import { isAccepted } from "../../runs/lifecycle.ts";
import type { Change } from "../change.ts";
import { decideRunEnd, statusWhileRunning } from "../decideRunEnd.ts";
import type { Lane, LaneRun } from "../lane.ts";
import { runMessages } from "./messages.ts";

type RefusalCode = "run_already_terminal" | "accept_response_undeliverable" | null;
export type AcceptRefusal = { outcome: "refused"; code: RefusalCode; why: string };

/** `refused` carries a code where a runner is to tell refusals apart, or none; `why` is public text. */
export type AcceptOutcome = { outcome: "accepted" } | AcceptRefusal;

export type AcceptDecision = { outcome: AcceptOutcome; change: Change | null };

const REPLAYED = "The runner asked for the run's context a second time, so its first answer was lost.";

/**
 * A second accept by the runner that accepted before changes something too: its run ends, since nobody has its context.
 */
export function decideAccept(
  lane: Lane,
  run: LaneRun,
  runnerId: string,
  stateTokenHash: Buffer | null = null,
): AcceptDecision {
  const refusal = refusalOf(lane, run, runnerId);
  if (refusal === "replay") {
    const change = decideRunEnd(lane, run, { end: "failure", seenBy: "timer", error: REPLAYED });
    return {
      outcome: refuseAccept("accept_response_undeliverable", REPLAYED),
      change: { ...change, messages: runMessages(lane, run, "api") },
    };
  }
  if (refusal) return { outcome: refusal, change: null };
  return { outcome: { outcome: "accepted" }, change: start(lane, run, runnerId, stateTokenHash) };
}

/**
 * The same, when it is known that no runner could get what the run needs: what could be accepted ends with the reason.
 */
export function decideAcceptWithout(lane: Lane, run: LaneRun, runnerId: string, why: string): AcceptDecision {
  const refusal = refusalOf(lane, run, runnerId);
  if (refusal === "replay") return { outcome: refuseAccept(null, `The run is ${run.status}.`), change: null };
  if (refusal) return { outcome: refusal, change: null };
  const change = decideRunEnd(lane, run, { end: "failure", seenBy: "dispatch", error: why });
  return { outcome: refuseAccept(null, why), change: { ...change, messages: runMessages(lane, run, "api") } };
}

export function refuseAccept(code: RefusalCode, why: string): AcceptRefusal {
  return { outcome: "refused", code, why };
}

/** Why an accept cannot be. An ended run comes first, so that a runner that comes late knows to go. */
function refusalOf(lane: Pick<Lane, "now">, run: LaneRun, runnerId: string): AcceptRefusal | "replay" | null {
  if (run.status === "discarded" || run.status === "cancelled")
    return refuseAccept("run_already_terminal", `The run is ${run.status}.`);
  if (run.assigned_runner_id !== runnerId)
    return refuseAccept(null, "The run is not assigned to this runner any more.");
  if (isAccepted(run.status)) return "replay";
  if (run.status !== "assigned") return refuseAccept(null, `The run is ${run.status}.`);
  if (!run.assigned_expires_at || micros(run.assigned_expires_at) <= micros(lane.now))
    return refuseAccept(null, "The lease on the run has lapsed.");
  return null;
}

/** An apply leaves its deployment `applying`, which it has been since a person or the policy approved it. */
function start(lane: Lane, run: LaneRun, runnerId: string, stateTokenHash: Buffer | null): Change {
  const status = statusWhileRunning(run.kind);
  const runner = { id: runnerId, status: "busy" } as const;
  return {
    run: { id: run.id, from: "assigned", to: "running", runner, ...(stateTokenHash && { stateTokenHash }) },
    ...(lane.deployment.status === status ? {} : { deployment: { to: status } }),
    event: { name: "deployment_started" },
  };
}
