import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { Scrape } from "./scrape.ts";

export type Metrics = ReturnType<typeof createMetrics>;

/**
 * One process's metrics in a registry of their own, so that two processes' worth can live in one program. How they are
 * named and labelled is ruled in docs/rules/limits.md#metrics.
 */
export function createMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  return {
    registry,
    /** What `/metrics` shows. */
    scrape: new Scrape(registry),
    requestDuration: new Histogram({
      name: "svc_http_request_duration_seconds",
      help: "Time from request to answer, by method, route template and status; long polls wait on purpose",
      labelNames: ["method", "route", "status"] as const,
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60],
      registers,
    }),
    requestsWaiting: new Gauge({
      name: "svc_http_requests_waiting",
      help: "Requests that write and wait for a turn of their organization in this process",
      registers,
    }),
    replicaUp: new Gauge({
      name: "svc_read_replica_up",
      help: "Whether the replica that lists are read from answers and follows the primary",
      labelNames: ["database"] as const,
      registers,
    }),
    replicaLag: new Gauge({
      name: "svc_read_replica_lag_seconds",
      help: "Age of what the replica knows; 0 when it knows everything",
      labelNames: ["database"] as const,
      registers,
    }),
    replicaReads: new Counter({
      name: "svc_read_replica_reads_total",
      help: "Reads meant for the replica, by who answered them",
      labelNames: ["database", "by"] as const,
      registers,
    }),
    runDispatch: new Counter({
      name: "svc_org_run_dispatch_total",
      help: "Claims by outcome; limited marks one that the organization's run budget turned back",
      labelNames: ["outcome"] as const,
      registers,
    }),
    dispatchBatchSaturated: new Counter({
      name: "svc_dispatch_batch_saturated",
      help: "Polls that looked at a whole batch of candidates and could use none of them",
      registers,
    }),
    oldestDispatchableAge: new Gauge({
      name: "svc_dispatch_oldest_dispatchable_age_seconds",
      help: "Age of the oldest pending run that some group serves and its organization's budget allows",
      registers,
    }),
    oldestPendingAge: new Gauge({
      name: "svc_runs_oldest_pending_age_seconds",
      help: "Age of the oldest pending run, whether or not it could be dispatched",
      registers,
    }),
    runs: new Gauge({
      name: "svc_runs",
      help: "Runs that are not over, by status; counting stops at 100000",
      labelNames: ["status"] as const,
      registers,
    }),
    limiterErrors: new Counter({
      name: "svc_dispatch_limiter_errors_total",
      help: "Run-budget checks that failed and let the claim through",
      registers,
    }),
    seatDenials: new Counter({
      name: "svc_org_seat_denials",
      help: "Members not added because the organization's seats were taken",
      labelNames: ["org", "source"] as const,
      registers,
    }),
    dependencyBudget: new Gauge({
      name: "svc_dependency_budget",
      help: "Limits of the dependency graph as they are set",
      labelNames: ["budget"] as const,
      registers,
    }),
    dependencyUsage: new Gauge({
      name: "svc_dependency_usage",
      help: "How much an organization uses of each of them; where a limit is for one stack, the most that one has",
      labelNames: ["org", "budget"] as const,
      registers,
    }),
    discoveryRequests: new Counter({
      name: "svc_sso_oidc_discovery_requests",
      help: "Looks at an OIDC issuer's configuration document, by outcome; cached ones asked nobody",
      labelNames: ["outcome"] as const,
      registers,
    }),
    discoveryDuration: new Histogram({
      name: "svc_sso_oidc_discovery_duration_seconds",
      help: "Time an issuer took to answer with its configuration document",
      buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    }),
    unknownRunnerFields: new Counter({
      name: "svc_runner_unknown_fields_total",
      help: "Body fields that a runner sent and this version does not know",
      labelNames: ["route"] as const,
      registers,
    }),
    reconcilerHealed: new Counter({
      name: "svc_reconciler_healed_total",
      help: "Workflows started, poked, restarted or ended because they disagreed with their row",
      labelNames: ["workflow", "action"] as const,
      registers,
    }),
    projectionHealed: new Counter({
      name: "svc_projection_healed_total",
      help: "Rows that are stored twice and were not what they come from",
      labelNames: ["projection"] as const,
      registers,
    }),
    deadlineOvershoot: new Histogram({
      name: "svc_deadline_overshoot_seconds",
      help: "How long after it was due a deadline was carried out",
      labelNames: ["deadline"] as const,
      buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60, 600],
      registers,
    }),
    taskSlices: new Histogram({
      name: "svc_task_slice_seconds",
      help: "How long slices of background tasks took, by kind and outcome",
      labelNames: ["kind", "outcome"] as const,
      buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 120, 300],
      registers,
    }),
    notificationAttempts: new Counter({
      name: "svc_notification_attempts_total",
      help: "Attempts to send a notification, by outcome; dead ones wait for a person",
      labelNames: ["outcome"] as const,
      registers,
    }),
    notificationDeliveries: new Gauge({
      name: "svc_notification_deliveries",
      help: "Notifications that wait for their next attempt (pending) or for a person (dead); counting stops at 100000",
      labelNames: ["status"] as const,
      registers,
    }),
    cascadeDependents: new Counter({
      name: "svc_cascade_dependents_total",
      help: "Dependents of applies by what became of them; manual ones wait for a person",
      labelNames: ["outcome"] as const,
      registers,
    }),
    cascadeDuration: new Histogram({
      name: "svc_cascade_duration_seconds",
      help: "Time from the end of an apply that something depends on until all its dependents were resolved",
      buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60, 600, 3600],
      registers,
    }),
    outboxMessages: new Gauge({
      name: "svc_outbox_messages",
      help: "Messages to workflows that are not sent yet; counting stops at 100000",
      registers,
    }),
    outboxWaiting: new Gauge({
      name: "svc_outbox_waiting",
      help: "Messages to workflows that are not sent yet, by class: 0 and 1 are urgent, 2 begins and ends workflows that sleep, 3 may take its time",
      labelNames: ["class"],
      registers,
    }),
    outboxOldestOfClass: new Gauge({
      name: "svc_outbox_class_oldest_age_seconds",
      help: "How long the oldest message to a workflow of each class has waited to be sent",
      labelNames: ["class"],
      registers,
    }),
    workflowsAsleep: new Gauge({
      name: "svc_workflows_asleep",
      help: "Live deployments whose workflow has had nothing to do yet; counting stops at 100000",
      registers,
    }),
    oldestOutboxAge: new Gauge({
      name: "svc_outbox_oldest_age_seconds",
      help: "Age of the oldest message to a workflow that is not sent yet",
      registers,
    }),
    collectionFailures: new Counter({
      name: "svc_metrics_collection_failures_total",
      help: "Scrapes whose figures could not be read from the database",
      registers,
    }),
    outboxWindow: new Gauge({
      name: "svc_outbox_window",
      help: "Messages of a patient class that this process last sent together: fewer while Temporal or the workers are behind",
      labelNames: ["class"] as const,
      registers,
    }),
    outboxSent: new Counter({
      name: "svc_outbox_sent_total",
      help: "Messages to workflows, by the path that sent them and the outcome",
      labelNames: ["path", "outcome"] as const,
      registers,
    }),
  };
}
