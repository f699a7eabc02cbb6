/** A deployment's way so far as parts of a line: `queued 2 s, runner 0.3 s, plan 41 s, confirm, apply`. Pure. */
import type { Deployment, Stage } from "../../data/types.ts";

export type StageSpan = {
  key: string;
  name: string;
  /** When it began and ended; without an end it goes on, without a beginning it is still to come. */
  from: string | null;
  to: string | null;
  state: "done" | "now" | "to come" | "failed" | "stopped";
  /** The stage whose log tells of it. */
  stageId: string | null;
};

const NAMES: Record<Stage["kind"], string> = {
  plan_run: "plan",
  destroy_run: "plan destroy",
  refresh_run: "plan refresh",
  apply_run: "apply",
  raw_run: "command",
  confirmation: "confirm",
};

export function stageSpansOf(deployment: Deployment): StageSpan[] {
  const spans: StageSpan[] = [];
  for (const stage of deployment.stages) spans.push(...spansOfStage(stage, deployment));
  if (deployment.completed_at === null) spans.push(...toCome(deployment));
  return spans.filter(
    ({ from, to, name }) => name !== "queued" || to === null || Date.parse(to) - Date.parse(from ?? to) >= 50,
  );
}

function spansOfStage(stage: Stage, deployment: Deployment): StageSpan[] {
  const { stage_id: stageId, kind, run, phase } = stage;
  const end = stage.completed_at ?? null;
  if (run === null) {
    const name = kind === "confirmation" && deployment.mode === "plan_unlocked" ? "start" : NAMES[kind];
    return [{ key: stageId, name, from: stage.created_at, to: end, state: stateOf(phase, end), stageId: null }];
  }
  const ended = run.completed_at ?? end;
  const spans: StageSpan[] = [];
  if (deployment.mode !== "plan_unlocked" && deployment.mode !== "drift" && stage === deployment.stages[0]) {
    spans.push(part(`${stageId}-queue`, "queued", run.created_at, run.first_pending_at ?? ended));
  }
  if (run.first_pending_at !== null) {
    spans.push(part(`${stageId}-runner`, "runner", run.first_pending_at, run.started_at ?? ended));
  }
  const state = run.started_at === null && ended === null ? "to come" : stateOf(phase, ended);
  if (run.started_at !== null || state === "failed" || state === "to come") {
    spans.push({ key: stageId, name: NAMES[kind], from: run.started_at, to: run.started_at && ended, state, stageId });
  }
  return spans;
}

function part(key: string, name: string, from: string, to: string | null): StageSpan {
  return { key, name, from, to, state: to === null ? "now" : "done", stageId: null };
}

function stateOf(phase: Stage["phase"], end: string | null): StageSpan["state"] {
  if (phase === "failed") return "failed";
  if (phase === "cancelled" || phase === "skipped") return "stopped";
  return end === null ? "now" : "done";
}

/** What follows a plan that has changes; nobody knows yet whether it will. */
function toCome({ mode, stages, status }: Deployment): StageSpan[] {
  if (
    mode === "raw" ||
    mode === "plan_unlocked" ||
    mode === "drift" ||
    status === "requested_cancellation" ||
    status === "cancelling"
  )
    return [];
  const last = stages.at(-1)?.kind;
  const names = last === "apply_run" ? [] : last === "confirmation" ? ["apply"] : ["confirm", "apply"];
  return names.map((name) => ({ key: `later-${name}`, name, from: null, to: null, state: "to come", stageId: null }));
}
