/** What the runner-facing routes count (spec 6.5, design 6.4). */
import { Counter, type Registry } from "prom-client";

export type RunnerCount =
  /** Claims by outcome, `svc_org_run_dispatch_total`. */
  | "dispatched"
  | "limited"
  | "handed_back"
  /** Work was there and all of the up to 16 candidates looked at were unusable. */
  | "batch_saturated"
  /** The limiter could not be asked, so a claim passed without it. */
  | "limiter_failed"
  /** A runner sent a field this version does not know. */
  | "unknown_field"
  /** A hint from another process was lost or could not be sent; the fallback query covers it. */
  | "hint_failed";

export interface RunnerCounters {
  count(what: RunnerCount, by?: number): void;
}

/** Counters on `registry`, which serves `/metrics`. */
export function runnerCounters(registry: Registry): RunnerCounters {
  const registers = [registry];
  const dispatch = new Counter({
    name: "svc_org_run_dispatch_total",
    help: "Claims by outcome; limited marks a throttled one",
    labelNames: ["outcome"],
    registers,
  });
  const counter = (name: string, help: string) => new Counter({ name, help, registers });
  const single = {
    batch_saturated: counter("svc_dispatch_batch_saturated", "Claims whose candidates were all locked by others"),
    limiter_failed: counter("svc_dispatch_limiter_errors_total", "Claims let through because the limiter failed"),
    unknown_field: counter("svc_runner_unknown_fields_total", "Unknown fields in bodies that runners sent"),
    hint_failed: counter("svc_runs_pending_hint_errors_total", "Hints about pending runs that could not be sent"),
  };
  return {
    count(what, by = 1) {
      if (what === "dispatched" || what === "limited" || what === "handed_back") dispatch.inc({ outcome: what }, by);
      else single[what].inc(by);
    },
  };
}
