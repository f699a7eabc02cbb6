/**
 * The rules of a deployment's life, small enough to be read at once, and written apart from the code that they judge:
 * a stack's lane, its queue, people's decisions, claims, reports, and time. Pure; times are milliseconds.
 */

export type Mode = "plan" | "destroy" | "plan_unlocked";
export type Report = "changes" | "nothing" | "failure" | "cancelled";
export type DecisionName =
  | "confirm"
  | "replan"
  | "confirm_skip"
  | "skip"
  | "cancel"
  | "force"
  | "prioritize"
  | "deprioritize";

export type ModelRun = {
  kind: "plan_run" | "destroy_run" | "apply_run";
  status: string;
  attempts: number;
  firstPending: number | null;
  /** Whose claim it is or was last, by the number of the claim; 0: nobody's. */
  claim: number;
  expires: number;
  started: number;
  cancelAsked: number;
  reported: Report | null;
};
export type ModelDeployment = {
  stack: number;
  mode: Mode;
  status: string;
  created: number;
  waitingSince: number;
  prioritized: number | null;
  runs: ModelRun[];
};
export type ModelStack = { held: boolean; queuedMs: number | null; confirmationMs: number | null };
export type Model = { now: number; claims: number; stacks: ModelStack[]; deployments: ModelDeployment[] };

export const LIMITS = {
  assignmentMs: 120_000,
  maxAssignmentAttempts: 3,
  startupDeadlineMs: 4 * 3_600_000,
  executionMs: 3_600_000,
  cancellationMs: 600_000,
  maxRunDurationMs: 1_000 * 3_600_000,
};

const HOLDING = ["pending", "planning", "applying", "waiting", "requested_cancellation", "cancelling"];
const OVER = ["finished", "failed", "cancelled", "skipped"];
const RUN_OVER = ["success", "failure", "cancelled", "timed_out", "startup_timeout", "discarded"];
const ACCEPTED = ["running", "requested_cancellation", "cancelling"];

const usesLane = ({ mode }: ModelDeployment) => mode !== "plan_unlocked";
export const lastRun = ({ runs }: ModelDeployment) => runs.at(-1) as ModelRun;
const isOver = ({ status }: ModelRun) => RUN_OVER.includes(status);

export function newModel(stacks: readonly ModelStack[], now: number): Model {
  return { now, claims: 0, stacks: stacks.map((stack) => ({ ...stack })), deployments: [] };
}

function newRun(kind: ModelRun["kind"], status: string, firstPending: number | null): ModelRun {
  const never = { claim: 0, expires: 0, started: 0, cancelAsked: 0, reported: null };
  return { kind, status, attempts: 0, firstPending, ...never };
}

export function create(model: Model, stack: number, mode: Mode): string {
  const beside = mode === "plan_unlocked";
  const kind = mode === "destroy" ? "destroy_run" : "plan_run";
  const status = beside ? "pending" : "queued";
  const runs = [newRun(kind, status, beside ? model.now : null)];
  model.deployments.push({ stack, mode, status, created: model.now, waitingSince: 0, prioritized: null, runs });
  if (!beside) promote(model, stack);
  return "created";
}

/** A free lane that is not held takes the next in line, by priority and then by age. */
function promote(model: Model, stack: number): void {
  const of = model.deployments.filter((one) => one.stack === stack && usesLane(one));
  if (model.stacks[stack]?.held || of.some(({ status }) => HOLDING.includes(status))) return;
  const next = inTurn(
    of.filter(({ status }) => status === "queued"),
    ({ created }) => created,
  )[0];
  if (next === undefined) return;
  next.status = "pending";
  Object.assign(lastRun(next), { status: "pending", firstPending: model.now });
}

function inTurn(of: ModelDeployment[], age: (one: ModelDeployment) => number): ModelDeployment[] {
  const first = (one: ModelDeployment) => one.prioritized ?? Number.POSITIVE_INFINITY;
  const compare = (a: number, b: number) => (a === b ? 0 : a < b ? -1 : 1);
  return [...of].sort((a, b) => compare(first(a), first(b)) || compare(age(a), age(b)));
}

/** Those of whom any may be claimed next: they came at the same moment. */
export function claimable({ deployments }: Model): ModelDeployment[] {
  const age = (one: ModelDeployment) => lastRun(one).firstPending ?? 0;
  const [head, ...others] = inTurn(
    deployments.filter((one) => lastRun(one).status === "pending"),
    age,
  );
  if (head === undefined) return [];
  return [head, ...others.filter((one) => one.prioritized === head.prioritized && age(one) === age(head))];
}

export function claim(model: Model, deployment: ModelDeployment): void {
  model.claims += 1;
  const expires = model.now + LIMITS.assignmentMs;
  Object.assign(lastRun(deployment), {
    ...{ status: "assigned", claim: model.claims, expires },
  });
}

/** @param by the number of the claim that the runner had; -1 for a stranger */
export function accept(model: Model, deployment: ModelDeployment, by: number): string {
  const run = lastRun(deployment);
  if (run.status === "discarded" || run.status === "cancelled") return "run_already_terminal";
  if (run.claim === 0 || run.claim !== by) return "refused";
  if (ACCEPTED.includes(run.status)) {
    end(model, deployment, "failure");
    return "accept_response_undeliverable";
  }
  if (run.status !== "assigned" || run.expires <= model.now) return "refused";
  Object.assign(run, { status: "running", started: model.now });
  deployment.status = run.kind === "apply_run" ? "applying" : "planning";
  return "accepted";
}

export function done(model: Model, deployment: ModelDeployment, by: number, report: Report): string {
  const run = lastRun(deployment);
  if (isOver(run)) return run.reported === report ? "stored" : "run_already_terminal";
  if (!ACCEPTED.includes(run.status) || run.claim === 0 || run.claim !== by) return "invalid_transition";
  run.reported = report;
  const ended = report === "changes" || report === "nothing" ? "success" : report;
  end(model, deployment, ended, report === "changes");
  return "stored";
}

export function acknowledge(deployment: ModelDeployment, by: number): string {
  const run = lastRun(deployment);
  if (run.claim === 0 || run.claim !== by) return "invalid_transition";
  if (run.status === "cancelling") return "stored";
  if (isOver(run)) return "run_already_terminal";
  if (run.status !== "requested_cancellation") return "invalid_transition";
  run.status = "cancelling";
  deployment.status = "cancelling";
  return "stored";
}

/** A run's end and what it means, in one step. Once a cancel was asked for, only an apply's success is not one. */
function end(model: Model, deployment: ModelDeployment, as: string, changes = false): void {
  const run = lastRun(deployment);
  const asked = run.status === "requested_cancellation" || run.status === "cancelling";
  run.status = asked && !(run.kind === "apply_run" && as === "success") ? "cancelled" : as;
  if (run.status !== "success") settle(model, deployment, run.status === "cancelled" ? "cancelled" : "failed");
  else if (run.kind === "apply_run" || !usesLane(deployment) || !changes) settle(model, deployment, "finished");
  else Object.assign(deployment, { status: "waiting", waitingSince: model.now });
}

function settle(model: Model, deployment: ModelDeployment, status: string): void {
  const held = deployment.status !== "queued";
  deployment.status = status;
  if (held && usesLane(deployment)) promote(model, deployment.stack);
}

/** @param samePlan whether it is about the plan that waits */
export function decide(model: Model, deployment: ModelDeployment, kind: DecisionName, samePlan: boolean): string {
  const { status } = deployment;
  const run = lastRun(deployment);
  const conflict = "invalid_transition";
  const over = (as: string, ended: string) => {
    if (!isOver(run)) run.status = ended;
    settle(model, deployment, as);
    return "done";
  };
  switch (kind) {
    case "confirm":
    case "replan":
    case "confirm_skip": {
      if (status !== "waiting") return conflict;
      if (!samePlan) return "plan_changed";
      if (kind === "confirm_skip") return over("skipped", "discarded");
      const next = kind === "replan" ? run.kind : "apply_run";
      deployment.runs.push(newRun(next, "pending", model.now));
      deployment.status = kind === "replan" ? "pending" : "applying";
      return "done";
    }
    case "skip":
      return usesLane(deployment) && (status === "queued" || status === "waiting")
        ? over("skipped", "discarded")
        : conflict;
    case "cancel":
      if (status === "cancelled" || status === "requested_cancellation" || status === "cancelling") return "done";
      if (OVER.includes(status)) return conflict;
      if (!ACCEPTED.includes(run.status)) return over("cancelled", "cancelled");
      Object.assign(run, { status: "requested_cancellation", cancelAsked: model.now });
      deployment.status = "requested_cancellation";
      return "done";
    case "force":
      if (status === "requested_cancellation" || status === "cancelling") return over("cancelled", "cancelled");
      return status === "cancelled" ? "done" : conflict;
    case "prioritize":
    case "deprioritize":
      if (run.status !== "queued" && run.status !== "pending") return conflict;
      if (kind === "deprioritize") deployment.prioritized = null;
      else deployment.prioritized ??= model.now;
      return "done";
  }
}

export function hold(model: Model, stack: number, held: boolean): string {
  const one = model.stacks[stack] as ModelStack;
  const was = one.held;
  one.held = held;
  if (was && !held) promote(model, stack);
  return "done";
}

/** What is due for the run, if anything is. */
export function runTimer(model: Model, deployment: ModelDeployment): string {
  const run = lastRun(deployment);
  const { now } = model;
  if (run.status === "assigned" && run.expires <= now) return lapse(model, deployment);
  if (run.status === "running" && run.started + LIMITS.executionMs <= now) end(model, deployment, "failure");
  const asked = run.status === "requested_cancellation" || run.status === "cancelling";
  if (asked && run.cancelAsked + LIMITS.cancellationMs <= now) end(model, deployment, "cancelled");
  return "passed";
}

function lapse(model: Model, deployment: ModelDeployment): string {
  const run = lastRun(deployment);
  run.attempts += 1;
  const late = (run.firstPending ?? 0) + LIMITS.startupDeadlineMs <= model.now;
  if (late || run.attempts >= LIMITS.maxAssignmentAttempts) end(model, deployment, "startup_timeout");
  else Object.assign(run, { status: "pending" });
  return "passed";
}

export function deploymentTimer(model: Model, deployment: ModelDeployment): string {
  const { now, stacks } = model;
  const { status, stack, created, waitingSince } = deployment;
  const { queuedMs, confirmationMs } = stacks[stack] as ModelStack;
  const run = lastRun(deployment);
  const skipped = (since: number, limit: number | null) => limit !== null && since + limit <= now;
  if (status === "queued" && skipped(created, queuedMs)) {
    run.status = "discarded";
    settle(model, deployment, "skipped");
  } else if (status === "waiting" && skipped(waitingSince, confirmationMs)) settle(model, deployment, "skipped");
  else if ((run.firstPending ?? 0) + LIMITS.startupDeadlineMs <= now) {
    if (run.status === "pending") end(model, deployment, "startup_timeout");
    else if (run.status === "assigned" && run.expires <= now) return lapse(model, deployment);
  }
  return "passed";
}

/** All of it that the rows must say too, as text. */
export function stateOf({ deployments, stacks }: Model): string[] {
  const runText = ({ kind, status, attempts }: ModelRun) => `${kind} ${status} ${attempts}`;
  return [
    ...stacks.map(({ held }, at) => `stack ${at} ${held ? "held" : "free"}`),
    ...deployments.map(
      ({ mode, status, prioritized, runs }, at) =>
        `${at} ${mode} ${status}${prioritized === null ? "" : " first"}: ${runs.map(runText).join(", ")}`,
    ),
  ];
}
