/**
 * What there is of a plan. Three things are never told as one: it is still being made, there is nothing to do, and it
 * could not be measured. Pure.
 */
import { countedDeeds } from "../../../../clients/plan/deeds.ts";
import type { Deployment, Stage } from "../../data/types.ts";

export type PlanStage = Stage & { run: NonNullable<Stage["run"]> };
export type PlanSummary = NonNullable<PlanStage["run"]["plan_summary"]>;

export type PlanState =
  /** This deployment makes no plan. */
  | { kind: "none" }
  /** Its run waits or is at work. */
  | { kind: "coming"; stage: PlanStage | null }
  | { kind: "failed"; stage: PlanStage; error: string | null }
  | { kind: "nothing"; stage: PlanStage; summary: PlanSummary }
  | { kind: "unmeasured"; stage: PlanStage; summary: PlanSummary | null }
  | { kind: "changes"; stage: PlanStage; summary: PlanSummary };

const KINDS: readonly Stage["kind"][] = ["plan_run", "destroy_run", "refresh_run"];
const LIVE: readonly string[] = ["queued", "pending", "assigned", "running", "requested_cancellation", "cancelling"];

/** Of the plan that stands now: the last one that succeeded, unless a newer one is being made. */
export function planStateOf(deployment: Deployment): PlanState {
  const plans = planStages(deployment);
  const last = plans.at(-1);
  if (last === undefined) return deployment.mode === "raw" ? { kind: "none" } : { kind: "coming", stage: null };
  return stateOf(last);
}

export function planStages({ stages }: Deployment): PlanStage[] {
  return stages.filter((stage): stage is PlanStage => KINDS.includes(stage.kind) && stage.run !== null);
}

/** Those that can be looked at, oldest first. */
export function madePlans(deployment: Deployment): PlanStage[] {
  return planStages(deployment).filter(({ run }) => run.status === "success");
}

export function stateOf(stage: PlanStage): PlanState {
  const { status, plan_summary: summary, error } = stage.run;
  if (LIVE.includes(status)) return { kind: "coming", stage };
  if (status !== "success") return { kind: "failed", stage, error };
  if (summary === null) return { kind: "unmeasured", stage, summary };
  if (!summary.has_changes) return { kind: "nothing", stage, summary };
  return summary.counts === null ? { kind: "unmeasured", stage, summary } : { kind: "changes", stage, summary };
}

/** The plan that a confirm would apply; null where none waits. */
export function waitingPlanRun(deployment: Deployment): string | null {
  if (deployment.status !== "waiting") return null;
  return madePlans(deployment).at(-1)?.run.id ?? null;
}

/** What destroys and replaces first; what there is none of is left out. */
export function talliesOf(summary: PlanSummary | null | undefined) {
  return summary?.counts == null ? [] : countedDeeds(summary.counts);
}
