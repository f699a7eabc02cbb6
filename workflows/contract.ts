/**
 * Names and messages of the workflows (docs/rules/workflows.md#contract-and-replay). Every signal means only "read
 * your row again". A leaf file, as `ids.ts` and `views.ts` are: the service imports nothing else from `workflows/`.
 */

export const TASK_QUEUES = {
  core: "core",
  scm: "scm",
  cascade: "cascade",
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
  driftChecks: "driftChecks",
  schedules: "schedules",
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

/**
 * Headers that carry trace context: of what caused a call, by the name that the official interceptors use, and of what
 * began the workflow that makes it.
 */
export const TRACE_HEADERS = { cause: "_tracer-data", origin: "svc-trace-origin" } as const;

/** Updates of the `deployment` workflow; each takes a decision id, which is also the Update id. */
export const DECISION_KINDS = [
  "confirm",
  "skip",
  "cancel",
  "prioritize",
  "deprioritize",
  "confirmPreview",
  "review",
] as const;
export type DecisionKind = (typeof DECISION_KINDS)[number];
/**
 * One more Update of it: carry out all decisions of a batch, of any deployments of its stack. It takes the batch's id,
 * which is also the Update id.
 */
export const DECIDE_MANY = "decideMany";

export const DEPLOYMENT_SIGNALS = ["promoted", "runFinished", "newerPlan", "policyChanged", "reread"] as const;
export const LEASE_SIGNALS = ["assigned", "cancelRequested", "finished", "reread"] as const;
/**
 * Updates that say no more than the signal of the same name, for a workflow that was started to sleep until its first
 * deadline: a signal is written into its history and does not wake it, an Update does.
 */
export const DEPLOYMENT_WAKES = ["runFinished", "policyChanged", "reread"] as const;
export const LEASE_WAKES = ["cancelRequested", "reread"] as const;
export const PREVIEW_SIGNALS = ["headMoved", "requirementsChanged", "deploymentChanged", "closed", "reread"] as const;
export const CASCADE_SIGNALS = ["reread"] as const;
export const DRIFT_SIGNALS = ["changed", "reread"] as const;
export const SCHEDULES_SIGNALS = ["changed", "reread"] as const;
export const SCM_EVENT_SIGNALS = ["arrived", "reread"] as const;
export const TASK_SIGNALS = ["again", "reread"] as const;
export const NOTIFICATION_SIGNALS = ["reread"] as const;
/** The query every watching workflow answers: its view of its row, or null before the first read. */
export const STATE_QUERY = "state";
