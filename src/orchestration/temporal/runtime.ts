/** The SDK's native runtime: one per process, writing its own lines into our log. */
import { IllegalStateError } from "@temporalio/common";
import { DefaultLogger, type LogEntry, makeTelemetryFilterString, Runtime } from "@temporalio/worker";
import type { Logger } from "../../platform/telemetry/log.ts";
import { freePort } from "./sdkMetrics.ts";

/**
 * `metricsPort`: where the SDK serves its own metrics on the loopback address; null when another runtime was installed.
 */
export type SdkRuntime = { metricsPort: number | null };

let installed: Promise<SdkRuntime> | undefined;

/**
 * Install it before the first native connection; a second call changes nothing, nor does one in a program that has
 * installed its own. Signals stay the program's business.
 */
export function installRuntime(log: Logger): Promise<SdkRuntime> {
  installed ??= install(log);
  return installed;
}

const PROMETHEUS_NAMES = { countersTotalSuffix: true, unitSuffix: true, useSecondsForDurations: true };

async function install(log: Logger): Promise<SdkRuntime> {
  const metricsPort = await freePort();
  try {
    Runtime.install({
      logger: new DefaultLogger("WARN", (entry) => write(log, entry)),
      shutdownSignals: [],
      telemetryOptions: {
        logging: { forward: {}, filter: makeTelemetryFilterString({ core: "WARN", other: "ERROR" }) },
        metrics: { prometheus: { bindAddress: `127.0.0.1:${metricsPort}`, ...PROMETHEUS_NAMES } },
      },
    });
    return { metricsPort };
  } catch (error) {
    if (!(error instanceof IllegalStateError)) throw error;
    return { metricsPort: null };
  }
}

/** Of what the SDK attaches only names and ids are kept: errors of activities are reduced, those of others are not. */
const KEPT = ["workflowId", "runId", "workflowType", "activityType", "attempt", "taskQueue", "sdkComponent"];

function write(log: Logger, { level, message, meta }: LogEntry): void {
  const fields = Object.fromEntries(Object.entries(meta ?? {}).filter(([name]) => KEPT.includes(name)));
  const line = { ...fields, ...(meta?.error !== undefined && { err: meta.error }), source: "temporal-sdk" };
  log[level === "TRACE" || level === "DEBUG" || level === "INFO" ? "debug" : level === "ERROR" ? "error" : "warn"](
    line,
    message,
  );
}
