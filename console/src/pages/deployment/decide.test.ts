import { describe, expect, test } from "vitest";
import type { Deployment, Stage } from "../../data/types.ts";
import { buttonsOf } from "./buttons.ts";
import { headlineOf } from "./headline.ts";
import { isConfirmable, NO_PLAN, showNewer, withNamed, withNewest } from "./planOnScreen.ts";
import { planStateOf, talliesOf, waitingPlanRun } from "./planState.ts";
import { stageSpansOf } from "./stageSpans.ts";
import { durationMs, whyOf } from "./whyLine.ts";

const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1) + seconds * 1_000).toISOString();
const NONE = { add: 0, change: 0, destroy: 0, replace: 0, import: 0, forget: 0, move: 0 };

function run(id: string, more: object = {}): NonNullable<Stage["run"]> {
  return {
    id,
    kind: "plan_run",
    status: "success",
    created_at: at(0),
    first_pending_at: at(2),
    started_at: at(2.3),
    completed_at: at(43.3),
    error: null,
    plan_summary: { has_changes: true, counts: { ...NONE, add: 3, destroy: 1 }, gaps: [] },
    ...more,
  } as never;
}
function stage(kind: Stage["kind"], more: object = {}): Stage {
  return {
    stage_id: kind,
    kind,
    phase: "done",
    created_at: at(0),
    completed_at: at(43.3),
    run: null,
    ...more,
  } as never;
}
function deployment(more: object): Deployment {
  return {
    mode: "plan",
    status: "waiting",
    created_at: at(0),
    waiting_since: at(43.3),
    completed_at: null,
    waiting_for: "A person has to look at the plan.",
    error: null,
    skipped_reason: null,
    cancel_requested_at: null,
    gates: [],
    allowed_actions: ["confirm", "skip", "cancel"],
    stages: [
      stage("plan_run", { run: run("p1") }),
      stage("confirmation", { phase: "waiting", created_at: at(43.3), completed_at: null }),
    ],
    ...more,
  } as never;
}
const planned = (plan: object, more: object = {}) =>
  deployment({ stages: [stage("plan_run", { run: run("p1", plan) })], ...more });

describe("the headline", () => {
  test.each([
    ["Waiting for you", {}],
    ["Waiting for somebody who may confirm", { allowed_actions: [] }],
    ["Policies look at the plan", { gates: [{ gate: "policy", code: "policy_pending", detail: "", closed_at: "" }] }],
    ["Denied by policy", { gates: [{ gate: "policy", code: "policy_denied", detail: "", closed_at: "" }] }],
    ["Waiting for approvals", { gates: [{ gate: "approvals" }] }],
    ["Planning", { status: "planning" }],
    ["Stopping", { status: "cancelling" }],
    ["Plan failed", { status: "failed", stages: [stage("plan_run", { phase: "failed" })] }],
    ["Applied", { status: "finished", stages: [stage("plan_run"), stage("apply_run")] }],
    ["Destroyed", { status: "finished", mode: "destroy", stages: [stage("apply_run")] }],
    ["Done", { status: "finished", mode: "raw", stages: [stage("raw_run")] }],
    [
      "Confirmed, waiting for a runner",
      { status: "applying", stages: [stage("apply_run", { run: run("a", { started_at: null }) })] },
    ],
  ])("%s", (text, more) => expect(headlineOf(deployment(more)).text).toBe(text));

  test("nothing to do is no plan that could be applied", () => {
    const nothing = planned({ plan_summary: { has_changes: false, counts: NONE, gaps: [] } }, { status: "finished" });
    expect(headlineOf(nothing).text).toBe("Nothing to do");
    expect(headlineOf(planned({}, { status: "finished" })).text).toBe("Planned");
  });
});

describe("a plan", () => {
  test.each([
    ["coming", { status: "running", plan_summary: null }],
    ["nothing", { plan_summary: { has_changes: false, counts: NONE, gaps: [] } }],
    ["unmeasured", { plan_summary: { has_changes: true, counts: null, gaps: ["too large"] } }],
    ["unmeasured", { plan_summary: null }],
    ["failed", { status: "failure", plan_summary: null, error: "no" }],
    ["changes", {}],
  ])("is %s, and nothing else", (kind, plan) => expect(planStateOf(planned(plan)).kind).toBe(kind));

  test("a deployment without one yet waits for it, and a command has none", () => {
    expect(planStateOf(deployment({ stages: [] })).kind).toBe("coming");
    expect(planStateOf(deployment({ stages: [], mode: "raw" })).kind).toBe("none");
  });

  test("counts destroys first and leaves out what there is none of", () => {
    expect(talliesOf(run("p").plan_summary)).toMatchObject([
      { name: "destroy", sign: "-", count: 1 },
      { name: "add", sign: "+", count: 3 },
    ]);
    expect(talliesOf(null)).toEqual([]);
  });

  test("a plan that the address names is shown, and only the newest of them can be confirmed", () => {
    const made = ["one", "two"];
    const now = withNewest(NO_PLAN, "two");
    expect(withNamed(now, "one", made)).toEqual({ shown: "one", newer: "two" });
    expect(isConfirmable(withNamed(now, "one", made), "two")).toBe(false);
    expect(isConfirmable(withNamed(now, "two", made), "two")).toBe(true);
    expect(withNamed(now, "of another deployment", made)).toBe(now);
    expect(withNamed(now, undefined, made)).toBe(now);
  });

  test("what is confirmed is what is on screen; a newer one waits to be looked at", () => {
    const first = withNewest(NO_PLAN, "one");
    expect(first).toEqual({ shown: "one", newer: null });
    const second = withNewest(withNewest(first, "two"), "two");
    expect(second).toEqual({ shown: "one", newer: "two" });
    expect([isConfirmable(first, "one"), isConfirmable(second, "two"), isConfirmable(NO_PLAN, null)]).toEqual([
      true,
      false,
      false,
    ]);
    expect(showNewer(second)).toEqual({ shown: "two", newer: null });
    expect(withNewest(second, "one")).toEqual(first);
    expect(waitingPlanRun(deployment({}))).toBe("p1");
    expect(waitingPlanRun(deployment({ status: "applying" }))).toBeNull();
  });
});

test("the way so far has its durations, and what may follow", () => {
  const said = (each: Deployment) =>
    stageSpansOf(each).map(({ name, from, to, state }) => [
      name,
      from && to ? (Date.parse(to) - Date.parse(from)) / 1_000 : null,
      state,
    ]);
  expect(said(deployment({}))).toEqual([
    ["queued", 2, "done"],
    ["runner", 0.3, "done"],
    ["plan", 41, "done"],
    ["confirm", null, "now"],
    ["apply", null, "to come"],
  ]);
  const pending = planned({ started_at: null, completed_at: null, status: "pending" }, { status: "pending" });
  pending.stages[0]!.completed_at = null;
  expect(said(pending)).toEqual([
    ["queued", 2, "done"],
    ["runner", null, "now"],
    ["plan", null, "to come"],
    ["confirm", null, "to come"],
    ["apply", null, "to come"],
  ]);
  const failed = planned({ status: "failure" }, { status: "failed", completed_at: at(44) });
  failed.stages[0]!.phase = "failed";
  expect(said(failed).at(-1)).toEqual(["plan", 41, "failed"]);
});

describe("why", () => {
  const policies = { queued_timeout: "PT1H", confirmation_timeout: "P2D" };
  test("since when it waits, when a policy ends that, and how many stand behind", () => {
    expect(whyOf(deployment({}), policies, 2)).toEqual({
      text: "A person has to look at the plan.",
      since: at(43.3),
      until: at(43.3 + 172_800),
      behind: 2,
    });
    expect(whyOf(deployment({ status: "queued", waiting_for: "next" }), policies, 0)?.until).toBe(at(3_600));
  });

  test("what is over says what ended it, or nothing", () => {
    const over = { waiting_for: null, completed_at: at(50), status: "skipped" };
    expect(whyOf(deployment({ ...over, skipped_reason: "confirmation_timeout" }), policies, 3)).toEqual({
      text: "Nobody confirmed it in time.",
      since: null,
      until: null,
      behind: 0,
    });
    expect(whyOf(deployment({ ...over, error: "It broke." }), null, 0)?.text).toBe("It broke.");
    expect(whyOf(deployment(over), null, 0)).toBeNull();
  });

  test.each([
    ["P1DT2H", 93_600_000],
    ["PT0.5S", 500],
    ["P1W", 604_800_000],
    ["P", null],
    ["never", null],
  ])("the duration %s", (text, ms) => expect(durationMs(text)).toBe(ms));
});

test("there is no button that the person may not press", () => {
  type Lacking = Deployment["gates"];
  const of = (allowed: Deployment["allowed_actions"], status: Deployment["status"], stack: string[], gates: Lacking) =>
    buttonsOf({ allowed_actions: allowed, status, gates }, stack as never, false);
  const buttons = (allowed: Deployment["allowed_actions"], status: Deployment["status"], stack: string[] = []) =>
    of(allowed, status, stack, []);
  expect(buttons([], "waiting")).toEqual({ first: [], more: [] });
  expect(buttons(["confirm", "skip", "cancel", "prioritize"], "waiting", ["hold", "plan"])).toEqual({
    first: ["apply", "replan", "skip"],
    more: ["cancel", "prioritize", "hold"],
  });
  const all = ["confirm", "review", "break_glass", "skip"] as const;
  expect(of([...all], "waiting", [], [{ gate: "approvals" } as never])).toEqual({
    first: ["review", "replan", "skip"],
    more: ["breakGlass"],
  });
  expect(buttons(["confirm", "review"], "waiting")).toEqual({ first: ["apply", "replan"], more: ["review"] });
  expect(buttons(["cancel"], "applying")).toEqual({ first: ["cancel"], more: [] });
  expect(buttons(["force_cancel"], "cancelling")).toEqual({ first: ["force"], more: [] });
  expect(buttons(["retry"], "failed", ["release"])).toEqual({ first: ["retry"], more: ["release"] });
});
