/** Accept by the runner that may, by one that may not, and once more: for a run in every status. */
import { describe, expect, it } from "vitest";
import { faultsOf } from "../../../../test/support/laneChanges.ts";
import { currentRun, type Given, LATER, lane, NOW, RUNNER } from "../../../../test/support/lanes.ts";
import { tableOf } from "../../../../test/support/textTable.ts";
import { isAccepted, isRunTerminal, RUN_STATUSES, type RunStatus } from "../../runs/lifecycle.ts";
import type { DeploymentStatus } from "../lifecycle.ts";
import { decideAccept, decideAcceptWithout } from "./decideAccept.ts";

/**
 * `over`: the runner exits as if nothing had happened, `no`: it is refused without a code, `replay`: its first answer
 * was lost.
 */
const ACCEPTS = tableOf(`
  run                     own       other   lapsed
  queued                  no        no      no
  pending                 no        no      no
  assigned                accepted  no      no
  running                 replay    no      replay
  requested_cancellation  replay    no      replay
  cancelling              replay    no      replay
  success                 no        no      no
  failure                 no        no      no
  cancelled               over      over    over
  timed_out               no        no      no
  startup_timeout         no        no      no
  discarded               over      over    over`);

/** A run in this status, and a deployment that it goes with. */
function given(status: RunStatus, lease = LATER): Given {
  const ended = status === "success" ? "finished" : status === "cancelled" ? "cancelled" : "failed";
  const live: Partial<Record<RunStatus, DeploymentStatus>> = {
    queued: "queued",
    pending: "pending",
    assigned: "pending",
    running: "planning",
  };
  const of = isAccepted(status) && status !== "running" ? (status as DeploymentStatus) : (live[status] ?? ended);
  return { status: of, run: { status, assigned_runner_id: RUNNER, assigned_expires_at: lease } };
}

function accept(of: Given, runner = RUNNER) {
  const before = lane(of);
  const decided = decideAccept(before, currentRun(before), runner);
  expect(decided.change ? faultsOf(before, decided.change) : []).toEqual([]);
  return decided;
}

function cellOf({ outcome }: ReturnType<typeof accept>): string {
  if (outcome.outcome === "accepted") return "accepted";
  if (outcome.code === "run_already_terminal") return "over";
  return outcome.code === null ? "no" : "replay";
}

describe("accept of a run that is", () => {
  it.each(ACCEPTS)("$row", ({ row, cells }) => {
    const status = row as RunStatus;
    const asked = {
      own: accept(given(status)),
      other: accept(given(status), "runner-2"),
      lapsed: accept(given(status, NOW)),
    };
    expect(Object.fromEntries(Object.entries(asked).map(([who, decided]) => [who, cellOf(decided)]))).toEqual(cells);
  });

  it("in any status there is", () => expect(ACCEPTS.map(({ row }) => row)).toEqual(RUN_STATUSES));
});

describe("an accept", () => {
  it("starts the run, the deployment with it, and the runner is busy", () =>
    expect(accept(given("assigned")).change).toEqual({
      run: { id: "plan_run-1", from: "assigned", to: "running", runner: { id: RUNNER, status: "busy" } },
      deployment: { to: "planning" },
      event: { name: "deployment_started" },
    }));

  it.each([
    ["plan", "applying", undefined],
    ["raw", "pending", { to: "applying" }],
    ["plan_unlocked", "pending", { to: "planning" }],
  ] as const)("of a %s that is %s", (mode, status, deployment) =>
    expect(accept({ mode, status, run: { status: "assigned" } }).change?.deployment).toEqual(deployment),
  );

  it("holds to the microsecond of the lease", () => {
    const until = (lease: string) => cellOf(accept(given("assigned", lease)));
    expect(until(NOW.replace(".000000", ".000001"))).toBe("accepted");
    expect(until(NOW)).toBe("no");
  });

  it("once more fails the run, or ends it cancelled where that was asked for", () => {
    const running = accept(given("running"));
    expect(running.change).toMatchObject({
      run: { to: "failure" },
      deployment: { to: "failed" },
      event: { name: "deployment_failed" },
    });
    expect(accept(given("requested_cancellation")).change).toMatchObject({
      run: { to: "cancelled" },
      deployment: { to: "cancelled" },
    });
  });
});

describe("an accept whose credentials were refused for good", () => {
  const refused = (status: RunStatus, runner = RUNNER) => {
    const before = lane(given(status));
    return decideAcceptWithout(before, currentRun(before), runner, "the role does not trust the service");
  };

  it("ends what could have been accepted, with the reason, and without a code", () => {
    const { outcome, change } = refused("assigned");
    expect(outcome).toEqual({ outcome: "refused", code: null, why: "the role does not trust the service" });
    expect(change).toMatchObject({ run: { to: "failure" }, event: { name: "deployment_failed" } });
    expect(change?.beside).toMatchObject({ name: "run_failed_to_start" });
  });

  it("changes nothing else, a replay neither", () => {
    for (const status of RUN_STATUSES.filter((one) => one !== "assigned")) expect(refused(status).change).toBeNull();
    expect(refused("assigned", "runner-2").change).toBeNull();
    expect(refused("running").outcome).toMatchObject({ code: null, why: "The run is running." });
  });

  it("is answered as an accept would be where the run is over", () => {
    for (const status of RUN_STATUSES.filter(isRunTerminal))
      expect(refused(status).outcome).toEqual(accept(given(status)).outcome);
  });
});
