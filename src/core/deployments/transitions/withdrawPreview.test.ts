/** A preview that its pull request leaves behind, in every status it can have; and whom a transition tells. */
import { describe, expect, it } from "vitest";
import { faultsOf } from "../../../../test/support/laneChanges.ts";
import { currentRun, type Given, lane, RUNNER } from "../../../../test/support/lanes.ts";
import { RUN_STATUSES } from "../../runs/lifecycle.ts";
import { DEPLOYMENT_STATUSES, type DeploymentStatus } from "../lifecycle.ts";
import { rereadMessages, runMessages } from "./messages.ts";
import { type WithdrawnFor, withdrawPreview } from "./withdrawPreview.ts";

const REASONS: WithdrawnFor[] = ["superseded", "pull_request_closed", "retracted"];

/** Previews never queue and never apply. */
const WITHDRAWN: Record<Exclude<DeploymentStatus, "queued" | "applying">, DeploymentStatus | null> = {
  pending: "cancelled",
  planning: "requested_cancellation",
  waiting: "skipped",
  requested_cancellation: null,
  cancelling: null,
  finished: null,
  failed: null,
  cancelled: null,
  skipped: null,
};

const withdrawn = (of: Given, reason: WithdrawnFor = "superseded") => {
  const before = lane({ mode: "plan_unlocked", ...of });
  const change = withdrawPreview(before, reason);
  expect(change ? faultsOf(before, change) : []).toEqual([]);
  return change;
};

describe("a preview that is withdrawn", () => {
  it.each(Object.entries(WITHDRAWN))("while it is %s becomes %s", (status, to) => {
    for (const reason of REASONS)
      expect(withdrawn({ status: status as DeploymentStatus }, reason)?.deployment?.to ?? null).toBe(to);
  });

  it("has a row for every status it can have", () =>
    expect([...Object.keys(WITHDRAWN), "queued", "applying"].sort()).toEqual([...DEPLOYMENT_STATUSES].sort()));

  it.each(REASONS)("says why where it was parked: %s", (skippedReason) =>
    expect(withdrawn({ status: "waiting" }, skippedReason)).toMatchObject({
      stage: "skipped",
      deployment: { to: "skipped", skippedReason },
      event: { name: "preview_withdrawn", data: { skipped_reason: skippedReason } },
    }),
  );

  it("ends a claim that nobody accepted, and gives its runner up", () =>
    expect(withdrawn({ status: "pending", run: { status: "assigned", assigned_runner_id: RUNNER } })).toMatchObject({
      run: { from: "assigned", to: "cancelled", runner: { id: RUNNER, status: "gone" } },
      event: { name: "deployment_cancelled" },
    }));

  it("asks its runner to stop as a person would, but is nobody's act", () => {
    const change = withdrawn({ status: "planning" });
    expect(change?.run).toMatchObject({ from: "running", to: "requested_cancellation" });
    expect(change?.messages?.[0]).toEqual({ kind: "signalLease", runId: "plan_run-1", signal: "cancelRequested" });
    expect(change?.activity).toBeUndefined();
  });
});

describe("a transition tells", () => {
  const told = (status: (typeof RUN_STATUSES)[number], via: "api" | "deployment" | "lease") => {
    const before = lane({ run: { status } });
    return runMessages(before, currentRun(before), via).map(({ kind }) => kind);
  };

  it.each(RUN_STATUSES)("both workflows of a run that was %s, save the one that made it", (status) => {
    const lease = ["assigned", "running", "requested_cancellation", "cancelling"].includes(status)
      ? ["signalLease"]
      : [];
    expect(told(status, "api")).toEqual([...lease, "signalDeployment"]);
    expect(told(status, "lease")).toEqual(["signalDeployment"]);
    expect(told(status, "deployment")).toEqual(lease);
  });

  it("a deployment's own workflow nothing that it did itself", () => {
    expect(rereadMessages(lane(), "deployment")).toEqual([]);
    expect(rereadMessages(lane(), "api")).toEqual([
      { kind: "signalDeployment", deploymentId: "deployment", signal: "reread" },
    ]);
  });
});
