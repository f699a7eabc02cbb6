/** What the end of every kind of run means for its deployment, also after a cancel was requested. */
import { describe, expect, it } from "vitest";
import { faultsOf } from "../../../test/support/laneChanges.ts";
import { currentRun, type Given, lane, RUNNER } from "../../../test/support/lanes.ts";
import { type TableRow, tableOf } from "../../../test/support/textTable.ts";
import { isAccepted, isRunTerminal, RUN_STATUSES, type RunEnd, type RunStatus } from "../runs/lifecycle.ts";
import { DoneBody, RUN_KINDS, type RunKind } from "../runs/protocol.ts";
import { decideRunEnd, endLiveRun, type RunEnding, statusWhileRunning } from "./decideRunEnd.ts";

/**
 * What the deployment becomes, by how its runner says that the run ended. A success is `waiting`, since nobody
 * approved.
 */
const ENDS = tableOf(`
  run                               success    failure    cancelled  timed_out
  plan_run/running                  waiting    failed     cancelled  failed
  plan_run/requested_cancellation   cancelled  cancelled  cancelled  cancelled
  plan_run/cancelling               cancelled  cancelled  cancelled  cancelled
  apply_run/running                 finished   failed     cancelled  failed
  apply_run/requested_cancellation  finished   cancelled  cancelled  cancelled
  apply_run/cancelling              finished   cancelled  cancelled  cancelled
  raw_run/running                   finished   failed     cancelled  failed
  raw_run/requested_cancellation    cancelled  cancelled  cancelled  cancelled
  raw_run/cancelling                cancelled  cancelled  cancelled  cancelled`);

const likePlan = (kind: RunKind) =>
  ENDS.filter(({ row }) => row.startsWith("plan_run")).map((of) => ({ ...of, row: of.row.replace("plan_run", kind) }));
const ALL = [...ENDS, ...likePlan("destroy_run"), ...likePlan("refresh_run")];

const MODES = {
  plan_run: "plan",
  destroy_run: "destroy",
  refresh_run: "refresh",
  apply_run: "plan",
  raw_run: "raw",
} as const satisfies Record<RunKind, string>;

function given({ row }: Pick<TableRow, "row">): Given {
  const [kind, run] = row.split("/") as [RunKind, RunStatus];
  const status = run === "requested_cancellation" || run === "cancelling" ? run : statusWhileRunning(kind);
  return { mode: MODES[kind], during: kind === "apply_run" ? "apply" : "plan", status };
}

function ended(of: Given, ending: Partial<RunEnding> & Pick<RunEnding, "end">) {
  const before = lane(of);
  const change = decideRunEnd(before, currentRun(before), { seenBy: "runner", ...ending });
  expect(faultsOf(before, change)).toEqual([]);
  return change;
}

describe("a run ends by its runner's word", () => {
  it.each(ALL)("$row", (of) => {
    const ends = Object.keys(of.cells) as RunEnd[];
    expect(Object.fromEntries(ends.map((end) => [end, ended(given(of), { end }).deployment?.to]))).toEqual(of.cells);
  });

  it("and there is a row for every kind in every status in which a runner has it, a column for every word", () => {
    const rows = RUN_KINDS.flatMap((kind) => RUN_STATUSES.filter(isAccepted).map((status) => `${kind}/${status}`));
    expect(ALL.map(({ row }) => row).sort()).toEqual(rows.sort());
    expect(Object.keys(ALL[0]?.cells ?? {})).toEqual(DoneBody.entries.status.options);
  });
});

/** Seen by somebody else: a deadline, or the coordinator that could not start it. */
describe.each(["plan_run", "apply_run", "raw_run"] as const)("a %s that never began", (kind) => {
  const pending = { mode: MODES[kind], during: kind === "apply_run" ? "apply" : "plan" } as const;
  const status = kind === "apply_run" ? "applying" : "pending";

  it("fails its deployment, and says that it never did", () => {
    const unclaimed = ended(
      { ...pending, status, run: { status: "pending" } },
      { end: "startup_timeout", seenBy: "timer" },
    );
    expect(unclaimed).toMatchObject({ run: { to: "startup_timeout" }, stage: "failed", deployment: { to: "failed" } });
    const data = { run_status: "startup_timeout" };
    expect(unclaimed.event).toEqual({ name: "deployment_failed", data });
    expect(unclaimed.beside).toEqual({ name: "run_failed_to_start", data });
    expect(unclaimed.run?.runner).toBeUndefined();
    const undispatched = ended(
      { ...pending, status, run: { status: "assigned" } },
      { end: "failure", seenBy: "dispatch" },
    );
    expect(undispatched.event.name).toBe("deployment_failed");
    expect(undispatched.beside).toEqual({ name: "run_failed_to_start", data: { run_status: "failure" } });
  });
});

describe("the end of a run", () => {
  it("an apply that succeeds is real, also after a cancel: what depends on it is due", () => {
    for (const status of ["applying", "requested_cancellation", "cancelling"] as const) {
      const change = ended({ status, during: "apply" }, { end: "success" });
      expect(change).toMatchObject({ run: { to: "success" }, stage: "done", event: { name: "deployment_succeeded" } });
      expect(change.deployment).toEqual({ to: "finished", applied: true });
    }
  });

  it("a command that succeeds applies nothing", () =>
    expect(ended({ mode: "raw", status: "applying" }, { end: "success" }).deployment).toEqual({ to: "finished" }));

  it("a failure is told with its reason, a cancellation without one", () => {
    const failed = ended({ status: "planning" }, { end: "failure", exitCode: 1, error: "no such provider" });
    expect(failed.deployment).toEqual({ to: "failed", error: "no such provider" });
    expect(failed.run).toMatchObject({ exitCode: 1, error: "no such provider" });
    expect(failed.event).toEqual({ name: "deployment_failed", data: { run_status: "failure" } });
    const stopped = ended({ status: "cancelling" }, { end: "failure", error: "interrupted" });
    expect(stopped.deployment).toEqual({ to: "cancelled" });
    const silent = ended({ status: "cancelling" }, { end: "cancelled", seenBy: "timer", error: "silent" });
    expect(silent.deployment).toEqual({ to: "cancelled", error: "silent" });
    expect(stopped).toMatchObject({ run: { error: "interrupted" }, event: { name: "deployment_cancelled" } });
  });

  it("fixes a plan only where it succeeded, and counts the attempt of a lapse", () => {
    const digests = { planSha256: "plan", treeSha256: "tree", doneSha256: "done" };
    expect(ended({ status: "planning" }, { end: "success", ...digests }).run).toMatchObject(digests);
    expect(ended({ status: "planning" }, { end: "failure", ...digests }).run).toMatchObject({
      ...digests,
      planSha256: null,
      treeSha256: null,
    });
    expect(ended({ status: "cancelling" }, { end: "success", ...digests }).run).toMatchObject({
      planSha256: null,
      treeSha256: null,
    });
    const lapsed = { end: "startup_timeout", seenBy: "timer", addAttempts: 1 } as const;
    expect(ended({ status: "pending", run: { status: "assigned" } }, lapsed).run?.addAttempts).toBe(1);
  });

  it.each([
    ["runner", "success", "finished"],
    ["runner", "failure", "failed"],
    ["timer", "failure", "gone"],
    ["timer", "timed_out", "gone"],
  ] as const)("seen by its %s as %s leaves the runner %s", (seenBy, end, status) =>
    expect(ended({ status: "applying" }, { end, seenBy }).run?.runner).toEqual({ id: RUNNER, status }),
  );
});

it("a decision ends the run in flight, and none where none is", () => {
  const running = lane({ status: "planning" });
  const runner = { id: RUNNER, status: "gone" };
  expect(endLiveRun(running, "cancelled")).toEqual({
    run: { id: "plan_run-1", from: "running", to: "cancelled", runner },
  });
  expect(endLiveRun(lane({ status: "waiting" }), "discarded")).toEqual({});
  expect(lane({ status: "waiting" }).runs.every((run) => isRunTerminal(run.status))).toBe(true);
});
