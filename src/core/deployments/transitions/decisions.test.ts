/** What every decision makes of a deployment in every status, whatever its mode. */
import { describe, expect, it } from "vitest";
import { faultsOf } from "../../../../test/support/laneChanges.ts";
import { ACTOR, type Given, lane } from "../../../../test/support/lanes.ts";
import { tableOf } from "../../../../test/support/textTable.ts";
import { DECISION_KINDS, type DecisionKind } from "../../../../workflows/contract.ts";
import { ProblemError } from "../../../platform/problems/problem.ts";
import { isRunTerminal, RUN_STATUSES, type RunStatus } from "../../runs/lifecycle.ts";
import type { DecisionEffect } from "../change.ts";
import {
  DEPLOYMENT_MODES,
  DEPLOYMENT_STATUSES,
  type DeploymentMode,
  type DeploymentStatus,
  usesLane,
} from "../lifecycle.ts";
import { waitingPlan } from "../possible.ts";
import { isCertainlyRefused } from "../submitDecision.ts";
import type { DecisionArguments } from "./decisionArguments.ts";
import { DECISIONS } from "./decisions.ts";

const ASKED: Record<string, [DecisionKind, DecisionArguments]> = {
  apply: ["confirm", { action: "apply" }],
  replan: ["confirm", { action: "replan", targets: ["a.b"] }],
  leave: ["confirm", { action: "skip" }],
  skip: ["skip", {}],
  cancel: ["cancel", {}],
  force: ["cancel", { force: true }],
  first: ["prioritize", {}],
  last: ["deprioritize", {}],
  preview: ["confirmPreview", {}],
  review: ["review", { verdict: "approve" }],
};

/**
 * A row is a status, with what its run does where that differs; a cell is what the deployment becomes. `-`: a conflict,
 * `same`: done without effect, `asked`: requested_cancellation, `set` and `clear`: its priority.
 */
const IN_LANE = `
  status                  apply     replan   leave    skip     cancel     force      first  last   preview  review
  queued                  -         -        -        skipped  cancelled  -          set    clear  -        -
  pending                 -         -        -        -        cancelled  -          set    clear  -        -
  pending/assigned        -         -        -        -        cancelled  -          -      -      -        -
  planning                -         -        -        -        asked      -          -      -      -        -
  waiting                 applying  pending  skipped  skipped  cancelled  -          -      -      -        same
  applying/pending        -         -        -        -        cancelled  -          set    clear  -        -
  applying/assigned       -         -        -        -        cancelled  -          -      -      -        -
  applying                -         -        -        -        asked      -          -      -      -        -
  requested_cancellation  -         -        -        -        same       cancelled  -      -      -        -
  cancelling              -         -        -        -        same       cancelled  -      -      -        -
  finished                -         -        -        -        -          -          -      -      -        -
  failed                  -         -        -        -        -          -          -      -      -        -
  cancelled               -         -        -        -        same       same       -      -      -        -
  skipped                 -         -        -        -        -          -          -      -      -        -`;

/** A command needs no plan, so it is never planning and nobody confirms it. */
const COMMANDS = withoutRows(IN_LANE, "planning", "waiting");

/** A preview never queues and is never applied; a parked one waits for a person to start it. */
const PREVIEWS = `${withoutRows(IN_LANE, "queued", "waiting", "applying/pending", "applying/assigned", "applying")}
  waiting                 -         -        -        -        cancelled  -          -      -      pending  same`;

const TABLES: Record<DeploymentMode, string> = {
  plan: IN_LANE,
  destroy: IN_LANE,
  refresh: IN_LANE,
  raw: COMMANDS,
  plan_unlocked: PREVIEWS,
  drift: withoutRows(PREVIEWS, "waiting"),
};
const NEVER: Partial<Record<DeploymentMode, DeploymentStatus[]>> = {
  raw: ["planning", "waiting"],
  plan_unlocked: ["queued", "applying"],
  drift: ["queued", "waiting", "applying"],
};

const CELLS = DEPLOYMENT_MODES.flatMap((mode) => tableOf(TABLES[mode]).map(({ row, cells }) => ({ mode, row, cells })));

function withoutRows(table: string, ...rows: string[]): string {
  return table
    .split("\n")
    .filter((line) => !rows.includes(line.trim().split(/\s+/)[0] ?? ""))
    .join("\n");
}

function given(mode: DeploymentMode, row: string): Given {
  const [status, run] = row.split("/") as [DeploymentStatus, RunStatus | undefined];
  return { mode, status, ...(run ? { run: { status: run, ...(run === "assigned" ? CLAIMED : {}) } } : {}) };
}
const CLAIMED = { assigned_runner_id: "runner-1" };

/** Clearing a priority needs one that is set. */
const before = (mode: DeploymentMode, row: string, asked: string) =>
  lane({ ...given(mode, row), deployment: { prioritized_at: asked === "last" ? "2026-11-28T11:00:00+00:00" : null } });

function decided(mode: DeploymentMode, row: string, asked: string): DecisionEffect | "-" {
  const [kind, args] = ASKED[asked] as [DecisionKind, DecisionArguments];
  const of = before(mode, row, asked);
  const seen = waitingPlan(of.runs);
  try {
    return DECISIONS[kind](of, ACTOR, kind === "review" && seen ? { ...args, plan_run_id: seen.id } : args, "api");
  } catch (error) {
    if (error instanceof ProblemError && error.status === 409) return "-";
    throw error;
  }
}

function cellOf(effect: DecisionEffect | "-"): string {
  if (effect === "-") return "-";
  const to = effect.change?.deployment?.to;
  return effect.priority ?? (to === "requested_cancellation" ? "asked" : to) ?? "same";
}

describe.each(DEPLOYMENT_MODES)("%s", (mode) => {
  it.each(tableOf(TABLES[mode]))("$row", ({ row, cells }) => {
    expect(Object.fromEntries(Object.keys(ASKED).map((asked) => [asked, cellOf(decided(mode, row, asked))]))).toEqual(
      cells,
    );
  });
});

describe("the table", () => {
  it("has a column for every kind of decision", () => {
    expect(new Set(Object.values(ASKED).map(([kind]) => kind))).toEqual(new Set(DECISION_KINDS));
    for (const { cells } of CELLS) expect(Object.keys(cells)).toEqual(Object.keys(ASKED));
  });

  it.each(DEPLOYMENT_MODES)("has a row for every status that %s can have, and for every status of its run", (mode) => {
    const statuses = new Set(tableOf(TABLES[mode]).map(({ row }) => row.split("/")[0]));
    expect([...statuses, ...(NEVER[mode] ?? [])].sort()).toEqual([...DEPLOYMENT_STATUSES].sort());
    const runs = new Set(
      tableOf(TABLES[mode]).flatMap(({ row }) => lane(given(mode, row)).runs.map(({ status }) => status)),
    );
    const live = RUN_STATUSES.filter((status) => !isRunTerminal(status) && (status !== "queued" || usesLane(mode)));
    expect(live.filter((status) => !runs.has(status))).toEqual([]);
  });
});

describe("whatever is decided", () => {
  const effects = CELLS.flatMap(({ mode, row }) =>
    Object.keys(ASKED).map((asked) => ({ mode, row, asked, effect: decided(mode, row, asked) })),
  );

  it("goes along the state tables, and leaves nothing behind an end", () => {
    const faults = effects.flatMap(({ mode, row, asked, effect }) =>
      effect !== "-" && effect.change ? faultsOf(before(mode, row, asked), effect.change) : [],
    );
    expect(faults).toEqual([]);
  });

  it("is logged once, as its actor's", () => {
    const activities = effects.map(({ effect }) => (effect === "-" ? null : effect.change?.activity)).filter((a) => a);
    expect(activities.length).toBeGreaterThan(0);
    for (const activity of activities) expect(activity).toMatchObject([{ actor: ACTOR }]);
  });

  it("changes nothing where the service refuses without asking", () => {
    for (const { row, asked, effect } of effects) {
      const status = row.split("/")[0] as DeploymentStatus;
      if (isCertainlyRefused(ASKED[asked]?.[0] as DecisionKind, status) && effect !== "-")
        expect(effect).toEqual({ change: null });
    }
  });
});
