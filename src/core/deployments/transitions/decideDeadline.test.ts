/** What every deadline does that can come due: of a claim, of a run at work, of a deployment that waits. */
import { describe, expect, it } from "vitest";
import { faultsOf } from "../../../../test/support/laneChanges.ts";
import { currentRun, type Given, lane, NOW, RUNNER } from "../../../../test/support/lanes.ts";
import type { Lane } from "../lane.ts";
import { DEPLOYMENT_MODES } from "../lifecycle.ts";
import {
  type DeploymentDeadline,
  decideDeploymentDeadline,
  decideRunDeadline,
  type RunDeadline,
} from "./decideDeadline.ts";
import { decideHandBack, decideReturn } from "./decideReturn.ts";

const LIMITS = { maxAssignmentAttempts: 5, startupDeadlineMs: 3_600_000 };
const AN_HOUR_AGO = "2026-11-28T11:00:00.000000+00:00";
const assigned = (run: NonNullable<Given["run"]> = {}): Given => ({
  status: "pending",
  run: { status: "assigned", ...run },
});

function returned(of: Given, cause: "lapse" | "hand_back" = "lapse", via: "lease" | "api" = "lease") {
  const before = lane(of);
  const change = decideReturn(LIMITS, before, currentRun(before), cause, via);
  expect(faultsOf(before, change)).toEqual([]);
  return change;
}

describe("a claim that nobody accepted", () => {
  it("goes back to its queue: a lapse is an attempt, a hand-back is none", () => {
    expect(returned(assigned())).toEqual({
      run: { id: "plan_run-1", from: "assigned", to: "pending", addAttempts: 1 },
      event: { name: "run_returned", data: { cause: "lapse" } },
      messages: [],
    });
    const handedBack = returned(assigned(), "hand_back", "api");
    expect(handedBack.run?.addAttempts).toBe(0);
    expect(handedBack.messages).toEqual([{ kind: "signalLease", runId: "plan_run-1", signal: "finished" }]);
  });

  it.each([
    ["lapse", 3, AN_HOUR_AGO.replace("00.000000", "00.000001"), "pending"],
    ["lapse", 4, NOW, "startup_timeout"],
    ["hand_back", 4, NOW, "pending"],
    ["lapse", 0, AN_HOUR_AGO, "startup_timeout"],
    ["hand_back", 0, AN_HOUR_AGO, "startup_timeout"],
  ] as const)(
    "by %s after %i attempts, first pending at %s, is %s",
    (cause, assignment_attempts, first_pending_at, to) => {
      expect(returned(assigned({ assignment_attempts, first_pending_at }), cause).run?.to).toBe(to);
    },
  );

  it("ends its deployment when it was the last one, and counts", () => {
    const last = returned(assigned({ assignment_attempts: 4, assigned_runner_id: RUNNER }));
    expect(last.run).toMatchObject({ addAttempts: 1, runner: { id: RUNNER, status: "gone" } });
    expect(last.deployment).toEqual({ to: "failed", error: "No runner accepted the run in 5 assignments." });
    const told = returned(assigned({ assignment_attempts: 4, accept_problem: "AWS could not be reached." }));
    expect(told.deployment?.error).toBe(
      "No runner accepted the run in 5 assignments. The last one that tried was told: AWS could not be reached.",
    );
    expect([last.event.name, last.beside?.name]).toEqual(["deployment_failed", "run_failed_to_start"]);
  });

  it("is handed back only by who has it", () => {
    const before = lane(assigned({ claim_seq: 7 }));
    expect(decideHandBack(LIMITS, before, currentRun(before), 7)?.run?.to).toBe("pending");
    expect(decideHandBack(LIMITS, before, currentRun(before), 6)).toBeNull();
    const running = lane({ status: "planning", run: { claim_seq: 7 } });
    expect(decideHandBack(LIMITS, running, currentRun(running), 7)).toBeNull();
  });
});

/** The statuses a run can have when the deadline comes due, and how it then ends. */
const RUN_ENDS: Record<RunDeadline, [Given, string, string | undefined][]> = {
  lease: [[assigned(), "pending", undefined]],
  inactive: [
    [{ status: "planning" }, "failure", "failed"],
    [{ status: "applying" }, "failure", "failed"],
  ],
  silent_cancellation: [
    [{ status: "requested_cancellation" }, "cancelled", "cancelled"],
    [{ status: "cancelling", during: "apply" }, "cancelled", "cancelled"],
  ],
  max_run_duration: [
    [{ status: "planning" }, "timed_out", "failed"],
    [{ mode: "raw", status: "applying" }, "timed_out", "failed"],
    [{ status: "requested_cancellation" }, "cancelled", "cancelled"],
    [{ status: "cancelling", during: "apply" }, "cancelled", "cancelled"],
  ],
};

describe.each(Object.keys(RUN_ENDS) as RunDeadline[])("a run's deadline: %s", (due) => {
  it.each(RUN_ENDS[due])("of %j ends it %s, the deployment %s", (of, run, deployment) => {
    const before = lane(of);
    const change = decideRunDeadline(LIMITS, before, currentRun(before), due);
    expect(faultsOf(before, change)).toEqual([]);
    expect([change.run?.to, change.deployment?.to]).toEqual([run, deployment]);
    // The lease itself carries it out; only the deployment has to hear of an end.
    expect(change.messages?.map(({ kind }) => kind)).toEqual(deployment ? ["signalDeployment"] : []);
    if (deployment) expect(change.run?.runner?.status).toBe("gone");
  });
});

const passed = (of: Given, due: DeploymentDeadline) => {
  const before = lane(of);
  const change = decideDeploymentDeadline(LIMITS, before, due);
  expect(change ? faultsOf(before, change) : []).toEqual([]);
  return change;
};

describe("a deployment's deadline", () => {
  const WAITS = {
    queued_timeout: ["queued"],
    confirmation_timeout: ["waiting"],
    approval_timeout: ["waiting"],
    superseded: ["queued", "waiting"],
  } as const;
  const POLICIES = Object.entries(WAITS).flatMap(([due, statuses]) =>
    statuses.map((status) => [due as keyof typeof WAITS, status] as const),
  );

  it.each(POLICIES)("%s skips what is %s, with the reason, and tells nobody: its own workflow knows", (due, status) => {
    expect(passed({ status }, due)).toEqual({
      ...(status === "queued" ? { run: { id: "plan_run-1", from: "queued", to: "discarded" } } : {}),
      stage: "skipped",
      deployment: { to: "skipped", skippedReason: due },
      event: { name: "deployment_auto_skipped", data: { skipped_reason: due } },
    });
  });

  it("reminds of approvals that are missing, and changes nothing else", () => {
    const asked = { source: "rule", id: "r", name: "r", reason: null, count: 1, destructive: false } as const;
    const before: Lane = {
      ...lane({ status: "waiting" }),
      approvals: {
        required: [{ ...asked, from: [], given: [], deadline_ms: null, remind_ms: 1 }],
        rejections: [],
        makers: [],
      },
    };
    expect(decideDeploymentDeadline(LIMITS, before, "approval_reminder")).toEqual({
      reminded: true,
      event: { name: "approvals_awaited", data: { missing: 1 } },
    });
    expect(passed({ status: "waiting" }, "approval_reminder")).toBeNull();
  });

  it("of a parked preview says so", () =>
    expect(passed({ mode: "plan_unlocked", status: "waiting" }, "confirmation_timeout")?.event.name).toBe(
      "preview_auto_skipped",
    ));

  it.each(DEPLOYMENT_MODES)("to start a %s ends it when no runner claimed it", (mode) => {
    expect(passed({ mode, status: "pending" }, "startup")).toMatchObject({
      run: { to: "startup_timeout" },
      deployment: { to: "failed" },
    });
  });

  it("to start an apply ends the deployment too, and that of an assigned run is its lease's", () => {
    expect(passed({ status: "applying", run: { status: "pending" } }, "startup")?.deployment?.to).toBe("failed");
    expect(passed(assigned({ first_pending_at: AN_HOUR_AGO }), "startup")?.run?.to).toBe("startup_timeout");
    expect(passed(assigned(), "startup")?.run).toMatchObject({ to: "pending", addAttempts: 1 });
    expect(passed({ status: "waiting" }, "startup")).toBeNull();
  });
});
