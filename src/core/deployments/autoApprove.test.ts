/** What a plan that succeeds leads to: by the mode of its deployment, its stack's policy and what the plan would do. */
import { describe, expect, it } from "vitest";
import { faultsOf } from "../../../test/support/laneChanges.ts";
import { currentRun, lane } from "../../../test/support/lanes.ts";
import { tableOf } from "../../../test/support/textTable.ts";
import type { PlanSummary } from "../runs/protocol.ts";
import { AUTO_APPROVE_MODES } from "../stacks/schema.ts";
import { autoApproval } from "./autoApprove.ts";
import { decideRunEnd } from "./decideRunEnd.ts";
import { DEPLOYMENT_MODES, type DeploymentMode } from "./lifecycle.ts";
import { PROVENANCES } from "./provenance.ts";

const NONE = { add: 0, change: 0, destroy: 0, replace: 0, import: 0, forget: 0, move: 0 };
type Counts = Partial<typeof NONE>;
const counted = (counts: Counts): PlanSummary => ({ has_changes: true, counts: { ...NONE, ...counts }, gaps: [] });

const PLANS: Record<string, PlanSummary | null> = {
  unchanged: { has_changes: false, counts: NONE, gaps: [] },
  // The word counts, whatever else could not be measured.
  unchanged_uncounted: { has_changes: false, counts: null, gaps: ["?"] },
  outputs: counted({}),
  adds: counted({ add: 1, change: 2, import: 3, move: 4 }),
  destroys: counted({ add: 1, destroy: 1 }),
  replaces: counted({ replace: 1 }),
  forgets: counted({ forget: 1 }),
  partly: { ...counted({ add: 1 }), gaps: ["a_b.c: unknown action"] },
  partly_destroys: { ...counted({ destroy: 1 }), gaps: ["a_b.c: unknown action"] },
  uncounted: { has_changes: true, counts: null, gaps: ["?"] },
  unknown: null,
};

/**
 * The status it leads to. `held`: waiting, and the log says why the policy did not act; `blind`: applied without
 * counts.
 */
const PLANNED = tableOf(`
  plan                 manual    auto      non_destructive
  unchanged            finished  finished  finished
  unchanged_uncounted  finished  finished  finished
  outputs              waiting   applying  applying
  adds                 waiting   applying  applying
  destroys             waiting   applying  held:destructive
  replaces             waiting   applying  held:destructive
  forgets              waiting   applying  held:destructive
  partly               waiting   applying  held:incomplete
  partly_destroys      waiting   applying  held:destructive
  uncounted            waiting   blind     held:incomplete
  unknown              waiting   blind     held:incomplete`);

/** Destroy and refresh are for a person to look at, whatever the policy; a preview is over once it is planned. */
const always = (changed: string, unchanged: string) =>
  PLANNED.map(({ row, cells }) => ({
    row,
    cells: Object.fromEntries(
      Object.keys(cells).map((policy) => [policy, row.startsWith("unchanged") ? unchanged : changed]),
    ),
  }));

const TABLES: Record<Exclude<DeploymentMode, "raw">, typeof PLANNED> = {
  plan: PLANNED,
  destroy: always("waiting", "finished"),
  refresh: always("waiting", "finished"),
  plan_unlocked: always("finished", "finished"),
  drift: always("finished", "finished"),
};
const MODES = Object.keys(TABLES) as (keyof typeof TABLES)[];

function planned(mode: DeploymentMode, policy: string, planSummary: PlanSummary | null) {
  const before = lane({ mode, status: "planning", stack: { auto_approve_mode: policy as "manual" } });
  const change = decideRunEnd(before, currentRun(before), { end: "success", seenBy: "runner", planSummary });
  expect(faultsOf(before, change)).toEqual([]);
  return change;
}

function cellOf({ deployment, activity = [] }: ReturnType<typeof planned>): string | undefined {
  const [entry] = activity;
  if (entry?.kind === "auto_approve_suppressed") return `held:${entry.details?.reason}`;
  return entry?.details?.blind ? "blind" : deployment?.to;
}

describe.each(MODES)("a %s that succeeds", (mode) => {
  it.each(TABLES[mode])("$row", ({ row, cells }) => {
    const policies = AUTO_APPROVE_MODES.map((policy) => [policy, cellOf(planned(mode, policy, PLANS[row] ?? null))]);
    expect(Object.fromEntries(policies)).toEqual(cells);
  });
});

it("the table has every mode that plans, every policy and every plan", () => {
  expect([...MODES, "raw"].sort()).toEqual([...DEPLOYMENT_MODES].sort());
  expect(PLANNED.map(({ row }) => row)).toEqual(Object.keys(PLANS));
});

const ON_BRANCH = { provenance: "branch", origin_type: "manual", needs_person: false } as const;

describe("what it writes", () => {
  it("an apply of exactly this plan, and what the policy saw", () => {
    expect(planned("plan", "auto", counted({ destroy: 2, replace: 1 }))).toMatchObject({
      stage: "done",
      open: { kind: "apply_run", run: { kind: "apply_run", planRunId: "plan_run-1" } },
      activity: [{ kind: "auto_applied", actor: null, details: { mode: "auto", destroy: 2, replace: 1 } }],
      event: { name: "deployment_auto_applied", data: { mode: "plan" } },
    });
  });

  it("or a confirmation, and the reason where the policy would have acted", () => {
    const { open, activity, event } = planned("plan", "non_destructive", counted({ forget: 1 }));
    expect(open).toEqual({ kind: "confirmation" });
    expect(activity).toEqual([
      { kind: "auto_approve_suppressed", actor: null, details: { mode: "non_destructive", reason: "destructive" } },
    ]);
    expect(event).toEqual({ name: "deployment_waiting_for_confirmation", data: { slug: "network-prod" } });
    expect(planned("plan", "manual", counted({ forget: 1 })).activity).toEqual([]);
  });

  it("or an end, which tells a preview from a deployment", () => {
    expect(planned("plan_unlocked", "auto", counted({ add: 1 })).event.name).toBe("preview_ready");
    expect(planned("plan", "auto", PLANS.unchanged ?? null).event.name).toBe("deployment_succeeded");
  });
});

it("the policy never approves by itself what it cannot see to be harmless, and a person's never acts", () => {
  for (const summary of Object.values(PLANS)) {
    expect(autoApproval("manual", ON_BRANCH, summary)).toEqual({ approved: false, suppressed: null });
    const { destroy = 1, replace = 1, forget = 1 } = summary?.counts ?? {};
    const gaps = summary?.gaps.length ?? 1;
    if (destroy + replace + forget + gaps > 0)
      expect(autoApproval("non_destructive", ON_BRANCH, summary).approved).toBe(false);
  }
});

it("no policy applies what is for a person, as a plan that drift has led to may be", () => {
  for (const policy of AUTO_APPROVE_MODES.filter((mode) => mode !== "manual"))
    expect(autoApproval(policy, { ...ON_BRANCH, needs_person: true }, counted({ add: 1 }))).toEqual({
      approved: false,
      suppressed: "drift",
    });
});

it("no policy applies what is not known to be on the branch, but for the head that a person promoted", () => {
  const counts = counted({ add: 1 });
  for (const policy of AUTO_APPROVE_MODES.filter((mode) => mode !== "manual")) {
    for (const provenance of PROVENANCES) {
      const by = (origin_type: "manual" | "promoted_pull_request") =>
        autoApproval(policy, { provenance, origin_type, needs_person: false }, counts);
      expect(by("promoted_pull_request").approved).toBe(true);
      if (["branch", "promoted"].includes(provenance)) expect(by("manual").approved).toBe(true);
      else expect(by("manual")).toEqual({ approved: false, suppressed: "not_on_branch" });
    }
  }
});
