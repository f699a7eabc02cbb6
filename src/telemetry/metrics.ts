import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

export type Metrics = ReturnType<typeof createMetrics>;

/**
 * One process's metrics in a registry of their own, so that two processes' worth can live in one program. Names of
 * spec 6.5 are kept as they are. Labels are closed lists and route templates, never ids from a request; `org` is the
 * one exception the specification makes.
 */
export function createMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  return {
    registry,
    requestDuration: new Histogram({
      name: "svc_http_request_duration_seconds",
      help: "Time from request to answer, by method, route template and status; long polls wait on purpose",
      labelNames: ["method", "route", "status"] as const,
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60],
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
      help: "Age of the oldest run that waits for a runner",
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
    outboxSent: new Counter({
      name: "svc_outbox_sent_total",
      help: "Messages to workflows, by the path that sent them and the outcome",
      labelNames: ["path", "outcome"] as const,
      registers,
    }),
  };
}
