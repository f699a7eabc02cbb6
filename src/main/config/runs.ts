/** What organizations may start, how long runs may take, and how long what they leave is kept. */
import { duration, hours, integer, onOff, text, words } from "../../platform/settings/formats.ts";
import { optional, withDefault } from "../../platform/settings/setting.ts";

export const RUNS = {
  quotas: {
    organizations: withDefault("SVC_QUOTA_ORGANIZATIONS", integer(1, 1_000_000), "50", {
      what: "most organizations that one person may create, their personal one aside; super-admins create any number",
      unit: "organizations",
    }),
    stacks: withDefault("SVC_QUOTA_STACKS", integer(1, 10_000_000), "20000", {
      what: "most stacks of one organization",
      unit: "stacks",
    }),
    queued_deployments: withDefault("SVC_QUOTA_QUEUED_DEPLOYMENTS", integer(1, 10_000_000), "20000", {
      what: "most deployments of one organization that wait for their stack or for a runner; pushes and cascades beyond it are tried again",
      unit: "deployments",
    }),
    logBytes: withDefault("SVC_QUOTA_LOG_BYTES", integer(65_536, 65_536_000_000), "268435456", {
      what: "most that is kept of one run's log, in whole chunks of 64 KiB; the run goes on, and what follows is left out",
      unit: "bytes",
    }),
    artifactBytes: withDefault("SVC_QUOTA_ARTIFACT_BYTES", integer(65_536, 107_374_182_400), "2147483648", {
      what: "most that the artifacts of one run may have together",
      unit: "bytes",
    }),
  },
  orgDefaults: {
    maxUsers: withDefault("SVC_DEFAULT_MAX_USERS", integer(1, 1_000_000), "1", {
      what: "max_users stored on a new organization",
      unit: "members",
    }),
    runsPerHour: withDefault("SVC_DEFAULT_RUNS_PER_HOUR", integer(1, 1_000_000), "2", {
      what: "runs_per_hour_limit stored on a new organization",
      unit: "runs/hour",
    }),
  },
  dispatch: {
    rateLimit: withDefault("SVC_DISPATCH_RATE_LIMIT", onOff, "on", {
      what: "whether an organization's runs-per-hour budget is enforced",
      unit: "on or off",
    }),
    maxPerOrg: optional("SVC_DISPATCH_MAX_PER_ORG", integer(1, 1_000_000), {
      what: "most runs of one organization in flight at once; unset means no cap",
      unit: "runs",
      example: "50",
    }),
  },
  taskProcessorConcurrency: withDefault("SVC_TASK_PROCESSOR_CONCURRENCY", integer(1, 100), "4", {
    what: "background tasks at once, per worker process",
    unit: "tasks",
  }),
  driftChecksPerHour: withDefault("SVC_DRIFT_CHECKS_PER_HOUR", integer(1, 1_000_000), "1000", {
    what: "checks for drift that one organization may begin; they take none of its runs per hour",
    unit: "checks/hour",
  }),
  opa: withDefault("SVC_OPA", text(/^\S(?:.*\S)?$/, "a program's path or name"), "opa", {
    what: "the program that compiles policies in Rego; without it only rules and bundles can be uploaded",
    unit: "path or name",
  }),
  cascadesPerSecond: withDefault("SVC_CASCADE_TRIGGERS_PER_SECOND", integer(1, 10_000), "15", {
    what: "deployments that cascades make a second, per worker process, so that thousands of dependents keep nobody else waiting",
    unit: "deployments/s",
  }),
  decisionDeadlineMs: withDefault("SVC_DECISION_DEADLINE", duration, "PT10S", {
    what: "how long a confirm, skip or cancel may wait for a workflow before it answers 503",
    unit: "duration",
  }),
  timeouts: {
    assignmentMs: withDefault("RUNNER_ASSIGNMENT_TIMEOUT", duration, "PT2M", {
      what: "how long a claimed run may stay unaccepted",
      unit: "duration",
    }),
    maxAssignmentAttempts: withDefault("RUNNER_MAX_ASSIGNMENT_ATTEMPTS", integer(1, 1_000), "5", {
      what: "claims of one run before it ends startup_timeout",
      unit: "claims",
    }),
    startupDeadlineMs: withDefault("RUNNER_STARTUP_DEADLINE", duration, "PT48H", {
      what: "how long a run may wait for a runner, counted from first_pending_at",
      unit: "duration",
    }),
    executionMs: withDefault("RUNNER_EXECUTION_TIMEOUT", duration, "PT1H", {
      what: "how long a running run may stay silent",
      unit: "duration",
    }),
    cancellationMs: withDefault("RUNNER_CANCELLATION_TIMEOUT", duration, "PT10M", {
      what: "how long a runner may stay silent after a cancel was requested",
      unit: "duration",
    }),
    maxRunDurationMs: withDefault("SVC_MAX_RUN_DURATION", duration, "PT6H", {
      what: "longest run of a stack that sets no max_run_duration of its own",
      unit: "duration",
    }),
  },
  runnerTokenGraceMs: withDefault("SVC_RUNNER_JWT_GRACE", duration, "PT15M", {
    what: "how long a runner's token still works after its run ended",
    unit: "duration",
  }),
  artifactMaxBytes: withDefault("SVC_ARTIFACT_MAX_BYTES", integer(65_536, 10_737_418_240), "268435456", {
    what: "largest artifact a runner may upload; the JSON plan of a big stack is some 50 MB",
    unit: "bytes",
  }),
  treeMaxBytes: withDefault("SVC_TREE_MAX_BYTES", integer(1_048_576, 10_737_418_240), "1073741824", {
    what: "most that the files of a plan may have, packed and unpacked, which are kept for its apply",
    unit: "bytes",
  }),
  state: {
    stateBytes: withDefault("SVC_STATE_MAX_BYTES", integer(65_536, 10_737_418_240), "268435456", {
      what: "largest state that the service keeps",
      unit: "bytes",
    }),
    keepVersions: withDefault("SVC_STATE_KEEP_VERSIONS", integer(1, 1_000_000), "100", {
      what: "newest versions of each state that are kept whatever their age",
      unit: "versions",
    }),
  },
  localSourceRetentionMs: withDefault("SVC_LOCAL_SOURCE_RETENTION", duration, "P7D", {
    what: "how long the archive of a local plan is kept after its deployment ended",
    unit: "duration",
  }),
  retention: {
    logsMs: withDefault("SVC_RETENTION_LOGS", hours(1), "P90D", {
      what: "how long logs are kept after their deployment ended",
      unit: "duration, PT1H or more",
    }),
    artifactsMs: withDefault("SVC_RETENTION_ARTIFACTS", hours(1), "P90D", {
      what: "how long plans and their data are kept after their deployment ended",
      unit: "duration, PT1H or more",
    }),
    stateVersionsMs: withDefault("SVC_RETENTION_STATE_VERSIONS", hours(1), "P90D", {
      what: "how long older versions of states are kept, and states of deleted stacks after their deletion",
      unit: "duration, PT1H or more",
    }),
    treesMs: withDefault("SVC_RETENTION_TREES", hours(1), "P1D", {
      what: "how long the files of plans are kept after their deployment ended; only an apply reads them",
      unit: "duration, PT1H or more",
    }),
    deploymentEventsMs: withDefault("SVC_RETENTION_DEPLOYMENT_EVENTS", hours(1), "P400D", {
      what: "how long a deployment's activity log and what its dependents were given are kept after it ended",
      unit: "duration, PT1H or more",
    }),
    domainEventsMs: withDefault("SVC_RETENTION_DOMAIN_EVENTS", hours(24), "P90D", {
      what: "how long domain events are kept; those of a deployment that goes on stay",
      unit: "duration, P1D or more",
    }),
    scmEventsMs: withDefault("SVC_RETENTION_SCM_EVENTS", hours(24), "P30D", {
      what: "how long deliveries of code hosts are kept once processed or dead; one sent again later acts again",
      unit: "duration, P1D or more",
    }),
    notificationDeliveriesMs: withDefault("SVC_RETENTION_NOTIFICATION_DELIVERIES", hours(24), "P30D", {
      what: "how long dead notifications are kept",
      unit: "duration, P1D or more",
    }),
    decisionsMs: withDefault("SVC_RETENTION_DECISIONS", hours(24), "P1D", {
      what: "how long decisions and their answers are kept",
      unit: "duration, P1D or more",
    }),
    driftChecksMs: withDefault("SVC_RETENTION_DRIFT_CHECKS", hours(24), "P90D", {
      what: "how long checks for drift are kept as deployments, at least as long as their logs and plans; a stack's last one stays",
      unit: "duration, P1D or more",
    }),
    idempotencyKeysMs: withDefault("SVC_RETENTION_IDEMPOTENCY_KEYS", hours(24), "P1D", {
      what: "how long an Idempotency-Key gets the same answer again",
      unit: "duration, P1D or more",
    }),
  },
  gitAllowProtocol: withDefault(
    "SVC_GIT_ALLOW_PROTOCOL",
    words(["https", "ssh", "http", "git", "file"], ":"),
    "https:ssh",
    {
      what: "transports git may use",
      unit: "names joined by :",
    },
  ),
};
