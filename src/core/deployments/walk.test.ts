/**
 * A deployment's whole life by chance: whatever people, runners and timers do, in whatever order, what must hold holds.
 */
import fc from "fast-check";
import { expect, it } from "vitest";
import { faultsOf, written } from "../../../test/support/laneChanges.ts";
import { currentRun, LATER, lane, RUNNER } from "../../../test/support/lanes.ts";
import { step, take } from "../../../test/support/lifeSteps.ts";
import { isAccepted } from "../runs/lifecycle.ts";
import { AUTO_APPROVE_MODES } from "../stacks/schema.ts";
import type { Lane } from "./lane.ts";
import { beginningOf, DEPLOYMENT_MODES, DEPLOYMENT_STATUSES, isTerminal, usesLane } from "./lifecycle.ts";

const begun = fc
  .record({
    mode: fc.constantFrom(...DEPLOYMENT_MODES),
    auto_approve_mode: fc.constantFrom(...AUTO_APPROVE_MODES),
    parked: fc.boolean(),
  })
  .map(({ mode, auto_approve_mode, parked }) => {
    const { status } = beginningOf(mode, parked && !usesLane(mode));
    return lane({ mode, status, stack: { auto_approve_mode } });
  });

/** What is wrong with where a deployment got to. */
function unsound({ deployment: { status, mode }, runs }: Lane, cancelAsked: boolean): string[] {
  const applies = runs.filter(({ kind }) => kind === "apply_run");
  const applied = applies.some((run) => run.status === "success");
  const faults = {
    "a plan is applied twice": new Set(applies.map((run) => run.plan_run_id)).size !== applies.length,
    "another plan is applied than the last": applies.some(
      (apply) => apply.plan_run_id !== runs[runs.indexOf(apply) - 1]?.id,
    ),
    "a preview is applied": mode === "plan_unlocked" && applies.length > 0,
    "a change is real and the deployment is not finished": applied && status !== "finished",
    "something else than an apply outlived a cancel": cancelAsked && status === "finished" && !applied,
    "it fails after a cancel": cancelAsked && status === "failed",
    "a runner works on what is not running":
      runs.some(({ status: run }) => isAccepted(run)) && ["queued", "pending", "waiting"].includes(status),
  };
  return Object.entries(faults).flatMap(([fault, is]) => (is ? [fault] : []));
}

it("goes along the state tables to a sound end", () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(begun, fc.array(step, { minLength: 10, maxLength: 80, size: "max" }), (first, steps) => {
      let at = first;
      let cancelAsked = false;
      for (const next of steps) {
        const change = take(at, next);
        if (!change) continue;
        expect(faultsOf(at, change)).toEqual([]);
        at = written(at, change);
        const run = currentRun(at);
        if (run?.status === "assigned")
          Object.assign(run, { assigned_runner_id: RUNNER, assigned_expires_at: LATER, claim_seq: 1 });
        cancelAsked ||= at.deployment.status === "requested_cancellation";
        expect(unsound(at, cancelAsked)).toEqual([]);
      }
      seen.add(at.deployment.status);
    }),
    { numRuns: 1_000 },
  );
  // The lives are long and varied enough to mean something.
  expect([...seen]).toEqual(expect.arrayContaining(DEPLOYMENT_STATUSES.filter(isTerminal)));
});
