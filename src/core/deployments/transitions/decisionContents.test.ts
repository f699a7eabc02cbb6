/** What a decision writes beside the status: runs and stages, the activity log, the event, and whom it tells. */
import { describe, expect, it } from "vitest";
import { ACTOR, currentRun, type Given, lane, RUNNER } from "../../../../test/support/lanes.ts";
import type { AskedApproval } from "../../approvals/gate.ts";
import { InvalidTransitionError, OwnChangeError, PlanChangedError } from "../errors.ts";
import type { Lane } from "../lane.ts";
import { endAtOnce } from "./cancel.ts";
import type { DecisionArguments } from "./decisionArguments.ts";
import { DECISIONS } from "./decisions.ts";
import { decideGoOn } from "./goOn.ts";
import type { Via } from "./messages.ts";

type Decided = { given?: Given; args?: DecisionArguments; via?: Via };

const decide = (kind: keyof typeof DECISIONS, { given = {}, args = {}, via = "deployment" }: Decided) =>
  DECISIONS[kind](lane(given), ACTOR, args, via);
const confirm = (args: DecisionArguments, given: Given = {}) =>
  decide("confirm", { given: { status: "waiting", ...given }, args });

const REREAD = { kind: "signalDeployment", deploymentId: "deployment", signal: "reread" };
const RUN_FINISHED = { ...REREAD, signal: "runFinished" };
const lease = (runId: string, signal: string) => ({ kind: "signalLease", runId, signal });

describe("confirm", () => {
  it("apply opens an apply of exactly the plan that waits", () => {
    expect(confirm({ action: "apply" })).toEqual({
      change: {
        deployment: { to: "applying" },
        stage: "done",
        open: { kind: "apply_run", run: { kind: "apply_run", planRunId: "plan_run-1" } },
        activity: [{ kind: "confirmed_apply", actor: ACTOR, details: { plan_run_id: "plan_run-1" } }],
        event: { name: "deployment_confirmed", actor: ACTOR, data: { action: "apply" } },
        messages: [],
      },
    });
  });

  it("apply repeats what the plan warned of", () => {
    const plan_summary = {
      has_changes: true,
      counts: null,
      gaps: [],
      warnings: ["The state is lost.", "b matches nothing."],
    };
    const waiting = lane({ status: "waiting" });
    Object.assign(currentRun(waiting), { plan_summary });
    expect(DECISIONS.confirm(waiting, ACTOR, { action: "apply" }, "api").warning).toBe(plan_summary.warnings.join(" "));
    expect(DECISIONS.confirm(waiting, ACTOR, { action: "replan" }, "api").warning).toBeUndefined();
  });

  it("applies the newest plan of several", () => {
    const replanned = lane({ status: "waiting" });
    replanned.runs.push({ ...currentRun(replanned), id: "plan_run-2" });
    const { change } = DECISIONS.confirm(replanned, ACTOR, { action: "apply", plan_run_id: "plan_run-2" }, "api");
    expect(change?.open?.run?.planRunId).toBe("plan_run-2");
    expect(() => DECISIONS.confirm(replanned, ACTOR, { plan_run_id: "plan_run-1" }, "api")).toThrow(PlanChangedError);
  });

  it.each(["apply", "replan", "skip"] as const)("%s of another plan than the one that was seen conflicts", (action) =>
    expect(() => confirm({ action, plan_run_id: "plan_run-0" })).toThrow(PlanChangedError),
  );

  it.each(["plan", "destroy", "refresh"] as const)(
    "replan runs the same kind of %s again, with its addresses",
    (mode) => {
      const addresses = { targets: ["a.b"], excludes: [], replaces: ["c.d"] };
      const { change } = confirm({ action: "replan", targets: ["a.b"], replaces: ["c.d"] }, { mode });
      expect(change?.deployment).toEqual({ to: "pending" });
      expect(change?.open).toEqual({ kind: `${mode}_run`, run: { kind: `${mode}_run`, ...addresses } });
      expect(change?.activity).toEqual([{ kind: "confirmed_replan", actor: ACTOR, details: addresses }]);
    },
  );

  it("skip is logged as a confirmation, a skip as a skip", () => {
    const [confirmed, skipped] = [confirm({ action: "skip" }), decide("skip", { given: { status: "waiting" } })];
    expect(confirmed.change).toMatchObject({ stage: "skipped", activity: [{ kind: "confirmed_skip" }] });
    expect(skipped.change).toMatchObject({ stage: "skipped", activity: [{ kind: "skipped" }] });
    expect(confirmed.change?.event).toEqual({ name: "deployment_skipped", actor: ACTOR });
    expect(confirmed.change?.run).toBeUndefined();
  });

  it("of a preview that is parked makes its run", () => {
    const { change } = decide("confirmPreview", { given: { mode: "plan_unlocked", status: "waiting" } });
    expect(change).toMatchObject({ stage: "done", open: { kind: "plan_run", run: { kind: "plan_run" } } });
  });
});

it("a skip in the queue discards the run that nobody will claim", () =>
  expect(decide("skip", {}).change?.run).toEqual({ id: "plan_run-1", from: "queued", to: "discarded" }));

describe("cancel", () => {
  const cancel = (given: Given, args: DecisionArguments = {}, via: Via = "api") =>
    decide("cancel", { given, args, via });

  it("asks a runner that works to stop, and tells its lease", () => {
    expect(cancel({ status: "planning" })).toEqual({
      change: {
        run: { id: "plan_run-1", from: "running", to: "requested_cancellation" },
        stage: "requested_cancellation",
        deployment: { to: "requested_cancellation" },
        activity: [{ kind: "cancellation_requested", actor: ACTOR }],
        event: { name: "deployment_cancellation_requested", actor: ACTOR },
        messages: [lease("plan_run-1", "cancelRequested"), REREAD],
      },
    });
  });

  it("ends what no runner has accepted, and gives a claimed one's runner up", () => {
    const { change } = cancel({ status: "pending", run: { status: "assigned", assigned_runner_id: RUNNER } });
    const runner = { id: RUNNER, status: "gone" };
    expect(change?.run).toEqual({ id: "plan_run-1", from: "assigned", to: "cancelled", runner });
    expect(change?.messages).toEqual([lease("plan_run-1", "finished"), RUN_FINISHED]);
    expect(change?.event).toEqual({ name: "deployment_cancelled", actor: ACTOR });
  });

  it("of what waits for a person ends no run, and tells the workflow unless that is who asks", () => {
    expect(cancel({ status: "waiting" }).change).toMatchObject({ stage: "cancelled", messages: [REREAD] });
    expect(cancel({ status: "waiting" }, {}, "deployment").change?.messages).toEqual([]);
    expect(cancel({ status: "waiting" }).change?.run).toBeUndefined();
  });

  it("by force frees the lane under a runner that does not answer, and warns", () => {
    const { change, warning } = cancel({ status: "cancelling", during: "apply" }, { force: true });
    expect(warning).toContain("may still be working");
    expect(change).toMatchObject({
      run: { from: "cancelling", to: "cancelled", runner: { id: RUNNER, status: "gone" } },
      activity: [{ kind: "cancellation_requested", details: { force: true } }],
      event: { name: "deployment_cancelled", data: { force: true } },
      messages: [lease("apply_run-2", "finished"), RUN_FINISHED],
    });
  });

  it("by force needs an earlier cancel, and says so", () =>
    expect(() => cancel({ status: "planning" }, { force: true })).toThrow("Cancel first"));

  it.each(["queued", "pending", "planning", "waiting", "applying"] as const)(
    "at once, for a stack that is deleted, leaves nothing of what is %s",
    (status) => {
      const change = endAtOnce(lane({ status }), ACTOR, "api");
      expect(change).toMatchObject({ stage: "cancelled", deployment: { to: "cancelled" } });
      expect(change.run?.to).toBe(status === "waiting" ? undefined : "cancelled");
    },
  );
});

describe("priority", () => {
  const prioritized = { prioritized_at: "2026-11-28T11:00:00+00:00" };

  it("is set once, and cleared once", () => {
    expect(decide("prioritize", {})).toMatchObject({
      priority: "set",
      change: { activity: [{ kind: "prioritized" }] },
    });
    expect(decide("prioritize", { given: { deployment: prioritized } })).toEqual({ change: null });
    expect(decide("deprioritize", {})).toEqual({ change: null });
    const cleared = decide("deprioritize", { given: { deployment: prioritized } });
    expect(cleared).toMatchObject({ priority: "clear", change: { event: { name: "deployment_deprioritized" } } });
  });

  it("names what was asked when it is too late", () => {
    const late = { given: { status: "planning" } } as const;
    expect(() => decide("prioritize", late)).toThrow(new InvalidTransitionError("prioritize", "planning"));
    expect(() => decide("deprioritize", late)).toThrow(new InvalidTransitionError("deprioritize", "planning"));
  });
});

describe("review", () => {
  const PLAN = "plan_run-1";
  const MAKER = { kind: "user", id: ACTOR.id };
  const review = (args: DecisionArguments, given: Partial<Lane> = {}) =>
    DECISIONS.review({ ...lane({ status: "waiting" }), ...given }, ACTOR, args, "deployment");

  it("is kept with its plan, and changes no status", () => {
    expect(review({ verdict: "reject", comment: "Too much.", plan_run_id: PLAN })).toEqual({
      review: { verdict: "reject", comment: "Too much.", planRunId: PLAN },
      change: {
        activity: [{ kind: "rejected", actor: ACTOR, details: { plan_run_id: PLAN } }],
        event: { name: "deployment_reviewed", actor: ACTOR, data: { verdict: "reject" } },
        messages: [],
      },
    });
  });

  it("is of the plan that waits, and never one's own", () => {
    for (const plan_run_id of ["plan_run-0", undefined])
      expect(() => review({ verdict: "approve", ...(plan_run_id && { plan_run_id }) })).toThrow(PlanChangedError);
    const approvals = { required: [], rejections: [], makers: [MAKER] };
    expect(() => review({ verdict: "approve", plan_run_id: PLAN }, { approvals })).toThrow(OwnChangeError);
    expect(review({ verdict: "reject", plan_run_id: PLAN }, { approvals }).review).toBeDefined();
  });
});

describe("a plan that lacks approvals", () => {
  const asked: AskedApproval = {
    ...{ source: "rule", id: "r", name: "production", reason: null, count: 1, destructive: false },
    ...{ deadline_ms: null, remind_ms: null, from: [], given: [] },
  };
  const lacking = (of: Given = {}) => ({
    ...lane({ status: "waiting", ...of }),
    approvals: { required: [asked], rejections: [], makers: [] },
  });
  const confirmed = (of: Lane, args: DecisionArguments) => DECISIONS.confirm(of, ACTOR, args, "deployment");

  it("is not applied, but planned anew or skipped", () => {
    expect(() => confirmed(lacking(), { action: "apply" })).toThrow(
      expect.objectContaining({ status: 409, code: "approvals_missing" }),
    );
    expect(confirmed(lacking(), { action: "replan" }).change?.deployment?.to).toBe("pending");
    expect(confirmed(lacking(), { action: "skip" }).change?.deployment?.to).toBe("skipped");
  });

  it("is applied by who breaks the glass, which opens no other gate and is no word without need", () => {
    const args = { action: "apply", break_glass: "an outage" } as const;
    expect(confirmed(lacking(), args)).toMatchObject({
      brokeGlass: { reason: "an outage", missing: [asked] },
      change: {
        activity: [{ kind: "confirmed_apply", details: { break_glass: "an outage" } }],
        beside: { name: "deployment_broke_glass", actor: ACTOR, data: { missing: 1, reason: "an outage" } },
      },
    });
    const gates = [{ gate: "policy", code: "policy_denied", detail: "No.", plan_run_id: "plan_run-1" } as const];
    expect(() => confirmed({ ...lacking(), gates: [...gates] }, args)).toThrow(
      expect.objectContaining({ code: "policy_denied" }),
    );
    expect(() => confirmed(lane({ status: "waiting" }), args)).toThrow("Nothing keeps it from being done");
  });

  it("goes on by itself only where nothing is missing and the stack's policy applies it", () => {
    const auto: Given = { stack: { auto_approve_mode: "auto" } };
    expect(decideGoOn(lacking(auto), "deployment")).toBeNull();
    expect(decideGoOn(lane({ status: "waiting" }), "deployment")).toBeNull();
    expect(decideGoOn(lane({ status: "waiting", mode: "destroy", ...auto }), "deployment")).toBeNull();
    expect(
      decideGoOn(lane({ status: "waiting", ...auto, deployment: { needs_person: true } }), "deployment"),
    ).toBeNull();
    expect(decideGoOn(lane({ status: "waiting", ...auto }), "deployment")).toMatchObject({
      deployment: { to: "applying" },
      activity: [{ kind: "auto_applied", actor: null }],
    });
  });

  it("the destroy of a stack whose end has come goes on with its last approval", () => {
    const given: Given = { status: "waiting", mode: "destroy", deployment: { origin_type: "lifetime" } };
    expect(decideGoOn(lacking(given), "deployment")).toBeNull();
    expect(decideGoOn(lane(given), "deployment")).toMatchObject({ deployment: { to: "applying" } });
  });
});
