/**
 * What can happen to a deployment, one thing at a time, by chance: people, pollers, runners, timers and pull requests.
 */
import fc from "fast-check";
import type { Change } from "../../src/core/deployments/change.ts";
import type { Lane } from "../../src/core/deployments/lane.ts";
import { isTerminal, usesLane } from "../../src/core/deployments/lifecycle.ts";
import { decideAccept } from "../../src/core/deployments/transitions/decideAccept.ts";
import { decideDeploymentDeadline, decideRunDeadline } from "../../src/core/deployments/transitions/decideDeadline.ts";
import {
  decideAcknowledge,
  decideDispatchFailed,
  decideDone,
  doneOf,
} from "../../src/core/deployments/transitions/decideReport.ts";
import { decideHandBack } from "../../src/core/deployments/transitions/decideReturn.ts";
import type { DecisionArguments } from "../../src/core/deployments/transitions/decisionArguments.ts";
import { DECISIONS } from "../../src/core/deployments/transitions/decisions.ts";
import { withdrawPreview } from "../../src/core/deployments/transitions/withdrawPreview.ts";
import type { DoneBody } from "../../src/core/runs/protocol.ts";
import { ProblemError } from "../../src/platform/problems/problem.ts";
import { DECISION_KINDS, type DecisionKind } from "../../workflows/contract.ts";
import { ACTOR, currentRun, RUNNER } from "./lanes.ts";

const LIMITS = { maxAssignmentAttempts: 3, startupDeadlineMs: 3_600_000 };
const PLAN = "ab".repeat(32);

/** One thing that happens. A step that nothing allows now gives null, or its conflict. */
export type Step = (lane: Lane) => Change | null;

/** The two things that SQL alone does: a free lane takes the next in line, and a poll claims its run. */
const promote: Step = ({ deployment, runs: [run] }) =>
  deployment.status === "queued" && run
    ? {
        deployment: { to: "pending" },
        run: { id: run.id, from: "queued", to: "pending" },
        event: { name: "deployment_promoted" },
      }
    : null;
const claim: Step = (of) => {
  const { id, status } = currentRun(of) ?? {};
  return status === "pending"
    ? { run: { id, from: "pending", to: "assigned" }, event: { name: "run_assigned" } }
    : null;
};

/** Only what can come due in this status does; the database says which. */
function deadline(of: Lane): Change | null {
  const { status, mode } = of.deployment;
  const run = currentRun(of);
  if (status === "queued") return decideDeploymentDeadline(LIMITS, of, "queued_timeout");
  if (status === "waiting")
    return decideDeploymentDeadline(LIMITS, of, mode === "plan" ? "superseded" : "confirmation_timeout");
  if (run?.status === "assigned") return decideRunDeadline(LIMITS, of, run, "lease");
  if (run?.status === "pending") return decideDeploymentDeadline(LIMITS, of, "startup");
  if (run?.status === "running") return decideRunDeadline(LIMITS, of, run, "inactive");
  return isTerminal(status) ? null : decideRunDeadline(LIMITS, of, run, "silent_cancellation");
}

const onRun =
  (decide: (of: Lane, run: Lane["runs"][number]) => Change | null): Step =>
  (of) =>
    of.runs.length === 0 ? null : decide(of, currentRun(of));

const counts = fc.constantFrom(null, { add: 1, change: 0, destroy: 0, replace: 0, import: 0, forget: 0, move: 0 });
const body: fc.Arbitrary<DoneBody> = fc.record({
  status: fc.oneof(likely(fc.constant("success" as const)), fc.constantFrom("failure", "cancelled", "timed_out")),
  plan_summary: fc.record({ has_changes: fc.boolean(), counts, gaps: fc.constant([]) }),
});

/** What leads on is likelier than what ends, or few lives would be long. */
export const step: fc.Arbitrary<Step> = fc.oneof(
  likely(fc.constant(promote)),
  likely(fc.constant(claim)),
  likely(fc.constant(onRun((of, run) => decideAccept(of, run, RUNNER).change))),
  likely(
    body.map((report) =>
      onRun((of, run) => decideDone(of, run, RUNNER, doneOf(report), { plan: PLAN, tree: null, gates: [] }).change),
    ),
  ),
  likely(fc.constantFrom("apply", "apply", "replan").map((action) => decision("confirm", { action }))),
  likely(fc.constant(decision("confirmPreview", {}))),
  fc.constant(onRun((_, run) => decideAcknowledge(run, RUNNER).change)),
  fc.constant(onRun((of, run) => decideDispatchFailed(of, run, RUNNER, "no room").change)),
  fc.constant(onRun((of, run) => decideHandBack(LIMITS, of, run, 1))),
  fc.constant(onRun(deadline)),
  fc.constant((of: Lane) => (usesLane(of.deployment.mode) ? null : withdrawPreview(of, "superseded"))),
  fc
    .record({ kind: fc.constantFrom(...DECISION_KINDS), force: fc.boolean() })
    .map(({ kind, ...args }) => decision(kind, args)),
);

function likely<T>(arbitrary: fc.Arbitrary<T>): { arbitrary: fc.Arbitrary<T>; weight: number } {
  return { arbitrary, weight: 20 };
}

function decision(kind: DecisionKind, args: DecisionArguments): Step {
  return (of) => DECISIONS[kind](of, ACTOR, args, "deployment").change;
}

/** The change of a step; null where nothing allows it now. */
export function take(of: Lane, next: Step): Change | null {
  try {
    return next(of);
  } catch (error) {
    if (error instanceof ProblemError && error.status === 409) return null;
    throw error;
  }
}
