/** A deployment's stages and plan, as its watcher needs them. Pure. */
import type { ExitCode } from "../exit/exitCodes.ts";
import { exitOfDeployment, TERMINAL } from "../exit/ofDeployment.ts";
import type { Deployment, PlanSummary } from "../service/types.ts";

export type StageOf = Deployment["stages"][number];

/** Nothing more happens until a person does something, or ever. Policies that look at a plan need nobody. */
export function isAtRest({ status, gates }: Pick<Deployment, "status"> & Partial<Pick<Deployment, "gates">>): boolean {
  if (TERMINAL.has(status)) return true;
  return status === "waiting" && !gates?.some(({ code }) => code === "policy_pending");
}

export function isOver({ status }: Pick<Deployment, "status">): boolean {
  return TERMINAL.has(status);
}

/** Stages whose runs have begun and so have a log, in order. */
export function loggedStages({ stages }: Pick<Deployment, "stages">): StageOf[] {
  return stages.filter(({ run }) => run !== null && run.started_at !== null);
}

export type Plan = { runId: string; summary: PlanSummary };

/** The newest plan that was made, or null. */
export function planOf({ stages }: Pick<Deployment, "stages">): Plan | null {
  const run = stages.findLast((stage) => stage.run?.plan_summary != null)?.run;
  return run?.plan_summary == null ? null : { runId: run.id, summary: run.plan_summary };
}

export function wasApplied({ stages }: Pick<Deployment, "stages">): boolean {
  return stages.some(({ run }) => run?.kind === "apply_run" && run.status === "success");
}

/** Whether it destroys nothing that is known, and everything is known. */
export function isHarmless({ counts, gaps }: PlanSummary): boolean {
  return counts !== null && gaps.length === 0 && counts.destroy === 0 && counts.replace === 0 && counts.forget === 0;
}

export function exitFor(deployment: Deployment, detailed: boolean): ExitCode {
  const hasChanges = planOf(deployment)?.summary.has_changes ?? null;
  return exitOfDeployment({ status: deployment.status, hasChanges }, { detailed, applied: wasApplied(deployment) });
}

const WORDS: Record<string, string> = {
  queued: "queued",
  pending: "waiting for a runner",
  planning: "planning",
  waiting: "waiting for a person",
  applying: "applying",
  requested_cancellation: "asked to stop",
  cancelling: "stopping",
};

/** One sentence on how it stands: its state, its place in the queue, and what it waits for. */
export function standing(deployment: Pick<Deployment, "status" | "queue_position" | "waiting_for">): string {
  const { status, queue_position, waiting_for } = deployment;
  const place = queue_position === null ? "" : `, number ${queue_position}`;
  const why = waiting_for === null ? "" : `: ${waiting_for}`;
  return `${WORDS[status] ?? status}${place}${why}`;
}
