/** What activities tell workflows, and what workflows answer. A leaf file of types only: the service imports it. */

/** What a deployment waits for, as an operator reads it. */
export type WaitingFor = "lane" | "run" | "person" | "policies" | "cancellation";

/** A deployment's row as its workflow sees it. */
export type DeploymentView = {
  found: boolean;
  terminal: boolean;
  status: string;
  mode: string;
  /** The stack's slug. */
  stack: string;
  waitingFor: WaitingFor | null;
  /** RFC 3339, when the present status began to wait; null when unknown. */
  since: string | null;
  /**
   * Milliseconds from the read until the next deadline by the database clock, never negative; null when there is none.
   */
  deadlineMs: number | null;
  /** Of its plan by the organization's policies, while it is to be carried out. Absent in older histories. */
  evaluationId?: string | null;
};

/** Result of an Update: how the decision ended. The full answer is in the decision's row. */
export type DecisionResult = { outcome: "done" | "conflict" | "expired" | "missing" };

/** Result of the Update for many: how many of the batch's decisions ended how. */
export type BatchResult = { done: number; conflict: number; expired: number };

/** A run's row as its lease workflow sees it. */
export type RunView = {
  found: boolean;
  /** Whether the lease still has something to watch: assigned, running, requested_cancellation or cancelling. */
  live: boolean;
  status: string;
  kind: string;
  deadlineMs: number | null;
};

/** A pull request on one stack as its workflow sees it. */
export type PreviewView = {
  /** Whether the request is open and touches the stack. */
  open: boolean;
  number: number;
  /** The stack's slug. */
  stack: string;
  /** How the latest preview stands; null when there is none. */
  status: string | null;
  /** Whether the host shows something else than what the rows say. */
  unpublished: boolean;
};

/** How a try to publish ended. `failed`: to be tried again, not before `notBeforeMs` from now when the host said so;
 * `reason` is for people. */
export type Published = { outcome: "published" } | { outcome: "failed"; notBeforeMs: number | null; reason?: string };

/** A branch's part of an inbox after its due events were worked on. */
export type BranchView = {
  /** Events that are neither processed nor dead. */
  open: number;
  /** Milliseconds until the next of them may be tried again; null when there is none. */
  nextMs: number | null;
};

/** A background task after a slice of it. */
export type TaskView = {
  /** `newer`: it is left to workers that know its kind and its cursor. */
  status: "done" | "pending" | "newer";
  /** Milliseconds until the next slice may begin; null when there is none. */
  nextMs: number | null;
  /** Slices that failed since one went well; absent when none did. */
  failures?: number;
};

/** A notification's delivery after an attempt, or after a look that found nothing due. */
export type DeliveryView = {
  /** Whether it is neither taken nor dead. */
  open: boolean;
  /** Attempts made. */
  attempts: number;
  /** Milliseconds until the next attempt may be made; null when none is to be made. */
  nextMs: number | null;
  /** The event it tells of. What is below is for whoever reads a history; older ones lack it. */
  event?: string;
  /** How the last attempt ended, in words of ours. */
  outcome?: string | null;
};

/** The dependents of an apply after some of them were worked on. */
export type CascadeView = {
  /** Dependents that are still to be triggered. */
  open: number;
  /** Milliseconds until the next of them may be tried; null once all are resolved, or there is no such apply. */
  nextMs: number | null;
  /** Set while who depends on the apply is not known, since runs of before it are still to be read. */
  waitedMs?: number;
  /** For who looks at the workflow. Absent where there is no such apply, and from workers of an earlier version. */
  told?: CascadeTold;
};

export type CascadeTold = {
  /** The slug of the stack that was applied. */
  stack: string;
  /** Dependents by what became of them; those that are open are in none of these. */
  triggered: number;
  manual: number;
  skipped: number;
  failed: number;
  /** Of the open ones, those that were tried in vain and are put off. */
  putOff: number;
};

/** An organization's checks for drift after a step. */
export type DriftView = {
  /** Stacks that are checked. */
  stacks: number;
  /** Checks that are under way. */
  running: number;
  /** Checks that are due and wait for room. */
  waiting: number;
  /** Milliseconds until the next step; 0 at once, null when no stack is checked any more. */
  nextMs: number | null;
};

/** What an organization has by schedule, after a step. */
export type SchedulesView = {
  /** Schedules that will come again. */
  schedules: number;
  /** Occurrences that are to be settled, those that are tried again among them. */
  due: number;
  /** Stacks whose lifetime ends, or ended and is put off. */
  lifetimes: number;
  /** Milliseconds until the next step; 0 at once, null when nothing will come any more. */
  nextMs: number | null;
};

/** Result of a lease workflow: why it ended. */
export type LeaseResult = { ended: string };

/** Activities on Postgres, run as local activities; each is one transaction at most and idempotent. */
export type CoreActivities = {
  readDeployment(deploymentId: string): Promise<DeploymentView>;
  /** Carry out a decision and read the row after it. */
  decide(deploymentId: string, decisionId: string): Promise<{ result: DecisionResult; view: DeploymentView }>;
  /** Carry out every decision of a batch, on whatever deployments of the stack, and read this one's row after it. */
  decideMany(deploymentId: string, batchId: string): Promise<{ result: BatchResult; view: DeploymentView }>;
  /** Do what a due deadline asks for, if one is due. */
  deploymentDeadline(deploymentId: string): Promise<DeploymentView>;
  readRun(runId: string): Promise<RunView>;
  runDeadline(runId: string): Promise<RunView>;
  readPreview(key: string): Promise<PreviewView>;
};

/** Regular activities that call a code host about a pull request's preview; on the `scm` queue. */
export type PreviewActivities = {
  /** Bring commit status and comment up to what the rows say now. */
  publishPreview(key: string): Promise<Published>;
};

/** Regular activities on the `scm` queue that work on the inbox. */
export type ScmEventActivities = {
  /** Work on the events of the branch that are due: ask its host, store what follows. */
  processBranch(key: string): Promise<BranchView>;
};

/** Regular activities on the `tasks` queue, each one slice of a background task. */
export type TaskActivities = {
  /** Take the task's lease, if it is due and free, and work on it until it is done or the slice is over. */
  runTaskSlice(key: string): Promise<TaskView>;
};

/** Regular activities on the `notify` queue that call notification targets. */
export type NotificationActivities = {
  /** Make the attempt that is due, if one is. */
  deliver(deliveryId: string): Promise<DeliveryView>;
};

/** Regular activities on the `cascade` queue: they keep a pace and ask hosts, and hold nobody else's slots for it. */
export type CascadeActivities = {
  /**
   * Write down who depends on the apply, unless that is written, and trigger some of those that are due.
   * `waitedMs`: how long the cascade has waited for analyses to be read, as its last step told.
   */
  resolveDependents(parentDeploymentId: string, waitedMs: number): Promise<CascadeView>;
};

/** Regular activities on the `tasks` queue about what runs and what was applied. */
export type DriftActivities = {
  /** Read the checks that have ended, begin some of those that are due, and make what is to mend a finding. */
  checkDrift(orgId: string): Promise<DriftView>;
};

/** Regular activities on the `tasks` queue that look at plans. */
export type PolicyActivities = {
  /** Carry out an evaluation that was begun, and store what follows from it. */
  evaluatePlan(deploymentId: string, evaluationId: string): Promise<void>;
};

/** Regular activities on the `cascade` queue about what comes by itself: they ask hosts for commits. */
export type ScheduleActivities = {
  /** Make some of what is due. */
  runSchedules(orgId: string): Promise<SchedulesView>;
};

/** Regular activities behind the Schedules. */
export type JobActivities = {
  reconcile(): Promise<Record<string, number>>;
  housekeep(): Promise<Record<string, number>>;
  auditSeats(): Promise<Record<string, number>>;
  sweepDependencies(): Promise<Record<string, number>>;
};
