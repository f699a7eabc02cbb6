/** Reports of runners and coordinators on a run in every status, by whoever sends them, and sent twice. */
import { describe, expect, it } from "vitest";
import { faultsOf, written } from "../../../../test/support/laneChanges.ts";
import { currentRun, type Given, lane, RUNNER } from "../../../../test/support/lanes.ts";
import { tableOf } from "../../../../test/support/textTable.ts";
import { RUN_STATUSES, type RunStatus } from "../../runs/lifecycle.ts";
import type { DoneBody } from "../../runs/protocol.ts";
import {
  decideAcknowledge,
  decideDispatchFailed,
  decideDone,
  doneOf,
  leavesPlan,
  NO_PLAN,
  type ReportDecision,
} from "./decideReport.ts";

const SUCCESS: DoneBody = { status: "success" };
const PLAN = "ab".repeat(32);
const TREE = "cd".repeat(32);
const DIGESTS = { plan: PLAN, tree: TREE, gates: [] };

/** `stored` without an effect, `over`: run_already_terminal, `no`: invalid_transition, else what the run becomes. */
const REPORTS = tableOf(`
  run                     done       done-by-other  acknowledge  acknowledge-by-other  dispatch-failed  dispatch-failed-by-other
  queued                  no         no             no           no                    no               no
  pending                 no         no             no           no                    no               no
  assigned                no         no             no           no                    failure          no
  running                 success    no             no           no                    no               no
  requested_cancellation  cancelled  no             cancelling   no                    no               no
  cancelling              cancelled  no             stored       no                    no               no
  success                 over       over           over         no                    over             over
  failure                 over       over           over         no                    stored           over
  cancelled               over       over           over         no                    over             over
  timed_out               over       over           over         no                    over             over
  startup_timeout         over       over           over         no                    over             over
  discarded               over       over           over         no                    over             over`);

const DEPLOYMENT = { queued: "queued", pending: "pending", assigned: "pending", running: "planning" } as const;

function given(status: RunStatus): Given {
  const live = status in DEPLOYMENT ? DEPLOYMENT[status as keyof typeof DEPLOYMENT] : "failed";
  const of = status === "requested_cancellation" || status === "cancelling" ? status : live;
  return { status: of, run: { status, assigned_runner_id: RUNNER } };
}

const REPORT = {
  done: (of, runner) => decideDone(of, currentRun(of), runner, doneOf(SUCCESS), DIGESTS),
  acknowledge: (of, runner) => decideAcknowledge(currentRun(of), runner),
  "dispatch-failed": (of, runner) => decideDispatchFailed(of, currentRun(of), runner, "no room"),
} satisfies Record<string, (of: ReturnType<typeof lane>, runner: string) => ReportDecision>;

function reported(kind: keyof typeof REPORT, status: RunStatus, runner: string): string {
  const before = lane(given(status));
  const { outcome, change } = REPORT[kind](before, runner);
  expect(change ? faultsOf(before, change) : []).toEqual([]);
  if (outcome.outcome === "stored") return change?.run?.to ?? "stored";
  expect(change).toBeNull();
  return outcome.code === "run_already_terminal" ? "over" : "no";
}

describe("a report on a run that is", () => {
  it.each(REPORTS)("$row", ({ row, cells }) => {
    const answers = (Object.keys(REPORT) as (keyof typeof REPORT)[]).flatMap((kind) => [
      [kind, reported(kind, row as RunStatus, RUNNER)],
      [`${kind}-by-other`, reported(kind, row as RunStatus, "runner-2")],
    ]);
    expect(Object.fromEntries(answers)).toEqual(cells);
  });

  it("in any status there is", () => expect(REPORTS.map(({ row }) => row)).toEqual(RUN_STATUSES));
});

const done = (of: Given, body: DoneBody, plan: string | null = PLAN, tree: string | null = TREE) => {
  const before = lane(of);
  return decideDone(before, currentRun(before), RUNNER, doneOf(body), { plan, tree, gates: [] });
};
const changing = (has_changes: boolean): DoneBody => ({
  ...SUCCESS,
  plan_summary: { has_changes, counts: null, gaps: [] },
});

describe("done", () => {
  it("twice is stored once, however it is written; another report of an ended run is refused", () => {
    const before = lane({ status: "planning" });
    const first = decideDone(before, currentRun(before), RUNNER, doneOf({ status: "success", exit_code: 0 }), DIGESTS);
    const after = written(before, first.change as NonNullable<typeof first.change>);
    const again = (body: DoneBody) => decideDone(after, after.runs[0] as never, RUNNER, doneOf(body), NO_PLAN);
    expect(again({ exit_code: 0, status: "success" })).toEqual({ outcome: { outcome: "stored" }, change: null });
    expect(again({ exit_code: 1, status: "success" }).outcome).toMatchObject({ code: "run_already_terminal" });
  });

  it("of a plan with changes needs the plan, unless nobody will apply it", () => {
    const missing = { outcome: { code: "plan_artifact_missing" }, change: null };
    expect(done({ status: "planning" }, changing(true), null)).toMatchObject(missing);
    expect(done({ status: "planning" }, SUCCESS, null)).toMatchObject(missing);
    expect(done({ status: "planning" }, changing(false), null).change?.deployment?.to).toBe("finished");
    expect(done({ status: "planning" }, { status: "failure" }, null).change?.deployment?.to).toBe("failed");
    expect(done({ status: "cancelling" }, SUCCESS, null).change?.deployment?.to).toBe("cancelled");
    expect(done({ mode: "plan_unlocked", status: "planning" }, SUCCESS, null).change?.deployment?.to).toBe("finished");
    expect(done({ status: "applying" }, SUCCESS, null).change?.deployment?.to).toBe("finished");
  });

  it("fixes the digests of plan and tree together; an older runner leaves no tree", () => {
    expect(done({ status: "planning" }, SUCCESS).change?.run).toMatchObject({ planSha256: PLAN, treeSha256: TREE });
    expect(done({ status: "planning" }, SUCCESS, PLAN, null).change).toMatchObject({
      run: { planSha256: PLAN, treeSha256: null },
      deployment: { to: "waiting" },
    });
  });

  it.each([undefined, null, "many", { has_changes: "yes" }, { has_changes: false, counts: null }])(
    "with a summary that says nothing counts as changes that nobody counted: %j",
    (plan_summary) => {
      const { change } = done({ status: "planning" }, { ...SUCCESS, plan_summary });
      expect(change?.run?.planSummary).toMatchObject({ has_changes: true, counts: null });
      expect(change?.deployment?.to).toBe("waiting");
    },
  );

  it("keeps a summary only of what plans, and of a plan that failed only one that was sent", () => {
    expect(done({ status: "applying" }, changing(true)).change?.run?.planSummary).toBeNull();
    expect(done({ mode: "raw", status: "applying" }, SUCCESS).change?.run?.planSummary).toBeNull();
    expect(done({ status: "planning" }, { status: "failure" }).change?.run?.planSummary).toBeNull();
    expect(
      done({ status: "planning" }, { ...changing(true), status: "failure" }).change?.run?.planSummary,
    ).toBeTruthy();
  });

  it("fixes a plan of a plan-style run that succeeds, and of no other", () => {
    const leaves = (of: Given, body: DoneBody) => leavesPlan(currentRun(lane(of)), body);
    for (const mode of ["plan", "destroy", "refresh", "plan_unlocked"] as const)
      expect([
        leaves({ mode, status: "planning" }, SUCCESS),
        leaves({ mode, status: "planning" }, { status: "failure" }),
      ]).toEqual([true, false]);
    expect([leaves({ status: "applying" }, SUCCESS), leaves({ mode: "raw", status: "applying" }, SUCCESS)]).toEqual([
      false,
      false,
    ]);
  });
});

it("a run that could not be dispatched fails with the reason, and its runner is gone", () => {
  const before = lane(given("assigned"));
  const { change } = decideDispatchFailed(before, currentRun(before), RUNNER, "no room");
  expect(change?.run).toMatchObject({ error: "The runner could not be started: no room", runner: { status: "gone" } });
  expect(change?.event).toMatchObject({ name: "deployment_failed" });
  expect(change?.beside).toMatchObject({ name: "run_failed_to_start" });
});
