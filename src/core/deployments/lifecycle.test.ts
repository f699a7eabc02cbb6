import { describe, expect, it } from "vitest";
import {
  beginningOf,
  canBecome,
  DEPLOYMENT_MODES,
  DEPLOYMENT_STATUSES,
  type DeploymentMode,
  type DeploymentStatus,
  firstRunKind,
  freesLane,
  isTerminal,
  stagePhaseOf,
  usesLane,
} from "./lifecycle.ts";

const TERMINAL: DeploymentStatus[] = ["finished", "failed", "cancelled", "skipped"];
/** Nothing runs for them yet, or nobody has looked at the plan. */
const HOLDING: DeploymentStatus[] = [
  "pending",
  "planning",
  "applying",
  "waiting",
  "requested_cancellation",
  "cancelling",
];

const pairs = DEPLOYMENT_STATUSES.flatMap((from) => DEPLOYMENT_STATUSES.map((to) => [from, to] as const));

describe("a status", () => {
  it("queues, holds the lane or is terminal: there is no other", () =>
    expect([...DEPLOYMENT_STATUSES].sort()).toEqual(["queued", ...HOLDING, ...TERMINAL].sort()));

  it("is left by nothing once it is terminal", () => {
    expect(DEPLOYMENT_STATUSES.filter(isTerminal)).toEqual(TERMINAL);
    for (const mode of DEPLOYMENT_MODES)
      expect(pairs.filter(([from, to]) => isTerminal(from) && canBecome(mode, from, to))).toEqual([]);
  });

  it("leads to an end from everywhere, and never to itself", () => {
    for (const mode of DEPLOYMENT_MODES) {
      for (const from of DEPLOYMENT_STATUSES) {
        const reached = new Set([from]);
        for (const status of reached)
          for (const to of DEPLOYMENT_STATUSES) if (canBecome(mode, status, to)) reached.add(to);
        expect([...reached].some(isTerminal), `${mode} ${from}`).toBe(true);
        expect(canBecome(mode, from, from)).toBe(false);
      }
    }
  });

  it("of a preview is never applying", () => {
    const previews = pairs.filter(([from, to]) => canBecome("plan_unlocked", from, to));
    expect(previews.filter(([from, to]) => to === "applying" && from !== "pending")).toEqual([]);
    expect(canBecome("plan_unlocked", "planning", "waiting")).toBe(false);
  });
});

describe("the lane", () => {
  it("is used by every mode but previews and checks", () =>
    expect(DEPLOYMENT_MODES.filter((mode) => !usesLane(mode))).toEqual(["plan_unlocked", "drift"]));

  it("is freed by the end of whoever held it, and by nothing else", () => {
    for (const mode of DEPLOYMENT_MODES)
      for (const [status, to] of pairs)
        expect(freesLane({ mode, status }, to), `${mode} ${status} -> ${to}`).toBe(
          mode !== "plan_unlocked" && mode !== "drift" && TERMINAL.includes(to) && status !== "queued",
        );
  });
});

const BEGINNINGS: Record<DeploymentMode, ReturnType<typeof beginningOf>> = {
  plan: { status: "queued", stage: "plan_run", run: "queued" },
  destroy: { status: "queued", stage: "destroy_run", run: "queued" },
  refresh: { status: "queued", stage: "refresh_run", run: "queued" },
  raw: { status: "queued", stage: "raw_run", run: "queued" },
  plan_unlocked: { status: "pending", stage: "plan_run", run: "pending" },
  drift: { status: "pending", stage: "refresh_run", run: "pending" },
};

describe("a deployment begins", () => {
  it.each(DEPLOYMENT_MODES)("%s", (mode) => {
    expect(beginningOf(mode)).toEqual(BEGINNINGS[mode]);
    expect(firstRunKind(mode)).toBe(BEGINNINGS[mode].stage);
  });

  it("parked with a confirmation and no run", () =>
    expect(beginningOf("plan_unlocked", true)).toEqual({ status: "waiting", stage: "confirmation", run: null }));
});

it.each([
  ["success", "done"],
  ["cancelled", "cancelled"],
  ["discarded", "skipped"],
  ["failure", "failed"],
  ["timed_out", "failed"],
  ["startup_timeout", "failed"],
] as const)("a run that ends %s ends its stage %s", (end, phase) => expect(stagePhaseOf(end)).toBe(phase));
