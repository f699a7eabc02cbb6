/**
 * Names, ids, messages and types of the workflows (design 3). A leaf file: the service imports nothing else from
 * `workflows/`. Every signal means only "read your row again".
 */

export const TASK_QUEUES = {
  core: "core",
  scm: "scm",
  cascade: "cascade",
  cloud: "cloud",
  notify: "notify",
  tasks: "tasks",
} as const;

export const WORKFLOWS = {
  deployment: "deployment",
  runLease: "runLease",
  prPreview: "prPreview",
  scmEvent: "scmEvent",
  orgTask: "orgTask",
  notificationDelivery: "notificationDelivery",
  dependentCascade: "dependentCascade",
  reconciler: "reconciler",
  housekeeping: "housekeeping",
  seatAudit: "seatAudit",
  dependencySweep: "dependencySweep",
} as const;

/** Set at each start, so that one filter of an operator shows a deployment with its leases, or a stack's whole day. */
export const SEARCH_ATTRIBUTES = ["OrgId", "StackKey", "DeploymentId", "Mode", "Origin"] as const;

/** Jobs run by Schedules: the workflow type of the same name, and how often. */
export const JOBS = {
  reconciler: { everyMs: 300_000 },
  housekeeping: { everyMs: 60_000 },
  seatAudit: { everyMs: 86_400_000 },
  dependencySweep: { everyMs: 43_200_000 },
} as const;
export type Job = keyof typeof JOBS;

export const workflowIds = {
  deployment: (deploymentId: string) => `deployment/${deploymentId}`,
  lease: (runId: string) => `lease/${runId}`,
  /** `key` is that of `previewKey`. */
  preview: (key: string) => `pr/${key}`,
  /** `key` is that of `scmEventKey`. */
  scmEvent: (key: string) => `scm/${key}`,
  /** `key` is that of `taskKey`. */
  task: (key: string) => `task/${key}`,
  notification: (deliveryId: string) => `notify/${deliveryId}`,
  cascade: (parentDeploymentId: string) => `cascade/${parentDeploymentId}`,
  schedule: (job: string) => `schedule/${job}`,
};

/** Names a pull request on a stack: the stack's key, the hash of the repository's name, the request's number. */
export function previewKey(stackKey: string, repositoryHash: string, number: number): string {
  return `${stackKey}/${repositoryHash}/${number}`;
}

export type PreviewName = { stackKey: string; repositoryHash: string; number: number };

/** The parts of a `previewKey`, or null for other text. */
export function parsePreviewKey(key: string): PreviewName | null {
  const match = /^([0-9a-f-]{36})\/([0-9a-f]{16})\/(\d{1,9})$/.exec(key);
  return match && { stackKey: match[1] as string, repositoryHash: match[2] as string, number: Number(match[3]) };
}

/** Names a branch in an integration's inbox: the integration, the hashes of the repository's name and the branch's. */
export function scmEventKey(integrationId: string, repositoryHash: string, branchHash: string): string {
  return `${integrationId}/${repositoryHash}/${branchHash}`;
}

export type ScmEventName = { integrationId: string; repositoryHash: string; branchHash: string };

/** The parts of a `scmEventKey`, or null for other text. */
export function parseScmEventKey(key: string): ScmEventName | null {
  const match = /^([0-9a-f-]{36})\/([0-9a-f]{32})\/([0-9a-f]{32})$/.exec(key);
  return (
    match && {
      integrationId: match[1] as string,
      repositoryHash: match[2] as string,
      branchHash: match[3] as string,
    }
  );
}

/** Names a background task: its kind, then the stack's key or, of kinds about a whole organization, the organization's id. */
export function taskKey({ task, orgId, stackKey }: { task: string; orgId: string; stackKey: string | null }): string {
  return `${task}/${stackKey ?? orgId}`;
}

export type TaskName = { kind: string; subjectKey: string };

/** The parts of a `taskKey`, or null for other text. */
export function parseTaskKey(key: string): TaskName | null {
  const match = /^([a-z][a-z_]{1,60})\/([0-9a-f-]{36})$/.exec(key);
  return match && { kind: match[1] as string, subjectKey: match[2] as string };
}

export type RowKind = "deployment" | "lease" | "preview" | "scmEvent" | "cascade" | "task" | "notification";

/** Of ids that are a word and a row's id. */
const KIND_OF: Record<string, RowKind> = {
  deployment: "deployment",
  lease: "lease",
  cascade: "cascade",
  notify: "notification",
};

/** The kind and row id behind a workflow id, or null for one that is not ours. */
export function parseWorkflowId(id: string): { kind: RowKind; rowId: string } | null {
  if (id.startsWith("pr/")) return parsePreviewKey(id.slice(3)) && { kind: "preview", rowId: id.slice(3) };
  if (id.startsWith("scm/")) return parseScmEventKey(id.slice(4)) && { kind: "scmEvent", rowId: id.slice(4) };
  if (id.startsWith("task/")) return parseTaskKey(id.slice(5)) && { kind: "task", rowId: id.slice(5) };
  const match = /^(deployment|lease|cascade|notify)\/([0-9a-f-]{36})$/.exec(id);
  return match ? { kind: KIND_OF[match[1] as string] as RowKind, rowId: match[2] as string } : null;
}

/**
 * Headers that carry trace context: of what caused a call, by the name that the official interceptors use, and of what began the
 * workflow that makes it.
 */
export const TRACE_HEADERS = { cause: "_tracer-data", origin: "svc-trace-origin" } as const;

/** Updates of the `deployment` workflow; each takes a decision id, which is also the Update id. */
export const DECISION_KINDS = ["confirm", "skip", "cancel", "prioritize", "deprioritize", "confirmPreview"] as const;
export type DecisionKind = (typeof DECISION_KINDS)[number];

export const DEPLOYMENT_SIGNALS = ["promoted", "runFinished", "newerPlan", "policyChanged", "reread"] as const;
export const LEASE_SIGNALS = ["assigned", "cancelRequested", "finished", "reread"] as const;
export const PREVIEW_SIGNALS = ["headMoved", "requirementsChanged", "deploymentChanged", "closed", "reread"] as const;
export const CASCADE_SIGNALS = ["reread"] as const;
export const SCM_EVENT_SIGNALS = ["arrived", "reread"] as const;
export const TASK_SIGNALS = ["again", "reread"] as const;
export const NOTIFICATION_SIGNALS = ["reread"] as const;
/** The query every watching workflow answers: its view of its row, or null before the first read. */
export const STATE_QUERY = "state";

/** What a deployment waits for, as an operator reads it. */
export type WaitingFor = "lane" | "run" | "person" | "cancellation";

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
  /** Milliseconds from the read until the next deadline by the database clock, never negative; null when there is none. */
  deadlineMs: number | null;
};

/** Result of an Update: how the decision ended. The full answer is in the decision's row. */
export type DecisionResult = { outcome: "done" | "conflict" | "expired" | "missing" };

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

/** Result of a lease workflow: why it ended. */
export type LeaseResult = { ended: string };

/** Activities on Postgres, run as local activities; each is one transaction at most and idempotent. */
export type CoreActivities = {
  readDeployment(deploymentId: string): Promise<DeploymentView>;
  /** Carry out a decision and read the row after it. */
  decide(deploymentId: string, decisionId: string): Promise<{ result: DecisionResult; view: DeploymentView }>;
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
  /** Write down who depends on the apply, unless that is written, and trigger some of those that are due. */
  /** `waitedMs`: how long the cascade has waited for analyses to be read, as its last step told. */
  resolveDependents(parentDeploymentId: string, waitedMs: number): Promise<CascadeView>;
};

/** Regular activities behind the Schedules. */
export type JobActivities = {
  reconcile(): Promise<Record<string, number>>;
  housekeep(): Promise<Record<string, number>>;
  auditSeats(): Promise<Record<string, number>>;
  sweepDependencies(): Promise<Record<string, number>>;
};
