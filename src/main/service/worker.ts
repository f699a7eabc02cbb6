/**
 * The worker, ready to be started by its program or inside another: runs the workflows and their activities, relays the
 * outbox, keeps Temporal in order.
 */
import { sql } from "drizzle-orm";
import { coreActivities } from "../../../activities/core.ts";
import { queueFigures } from "../../core/dispatch/queueFigures.ts";
import { IntegrationHealth } from "../../exchange/scm/host/health.ts";
import { openHosts } from "../../exchange/scm/host/hosts.ts";
import { showBudgets } from "../../graph/dependencies/usage.ts";
import { bundleWorkflows } from "../../orchestration/temporal/bundle.ts";
import { installRuntime } from "../../orchestration/temporal/runtime.ts";
import { sdkMetrics } from "../../orchestration/temporal/sdkMetrics.ts";
import type { WorkflowBundle } from "../../orchestration/temporal/worker.ts";
import { createKeyring } from "../../platform/crypto/keyring.ts";
import { connect } from "../../platform/db/client.ts";
import { refusalLog } from "../../platform/egress/refusalLog.ts";
import { openObjectStore } from "../../platform/objects/openStore.ts";
import type { ReadinessCheck } from "../../platform/telemetry/health.ts";
import { createLogger, type Logger } from "../../platform/telemetry/log.ts";
import { createMetrics } from "../../platform/telemetry/metrics.ts";
import { lostSpans, openTraces } from "../../platform/telemetry/traces.ts";
import { gatedEgress } from "../app/gatedEgress.ts";
import type { Config } from "../config/settings.ts";
import { checkSealingKeys } from "../operator/sealingKeys.ts";
import { startHealthServer } from "./healthServer.ts";
import { type Orchestration, startOrchestration } from "./orchestration.ts";
import { startTaskQueues, type TaskQueues } from "./taskQueues.ts";
import { warmUp } from "./warmUp.ts";

export type WorkerProgram = {
  /** Where `/healthz`, `/readyz` and `/metrics` answer. */
  healthUrl: string;
  /** Whether tasks are polled for now. */
  running(): boolean;
  /** Take no more work, finish what runs, close every connection. A second call waits for the first. */
  close(): Promise<void>;
};

export type WorkerProgramOptions = {
  log?: Logger;
  /** Prebuilt workflows; bundled at start by default. */
  workflowBundle?: WorkflowBundle;
  maxCachedWorkflows?: number;
};

/** Nobody waits for an answer here, and what is refused has to come back. */
const OUTWARD_WAIT_MS = 30_000;

/** Longest time an outbox row waits beyond its due time when the process that wrote it is gone. */
const IDLE_POLL_MS = 1_000;

/** Start the worker. It needs neither Temporal nor Postgres to be there, and outlives both. */
export async function startWorker(config: Config, options: WorkerProgramOptions = {}): Promise<WorkerProgram> {
  const log = options.log ?? createLogger(config.logLevel, "worker");
  const keyring = createKeyring(config.encryption);
  await keyring.check();
  await checkSealingKeys(config.database.url, keyring);
  const sdk = await installRuntime(log);
  const workflowBundle = await workflows(config, options);
  const metrics = createMetrics();
  const db = connect(config.database.url, { max: config.database.poolSize, name: "svc-worker" });
  // With it away background tasks wait; nothing else does.
  const explore = connect(config.database.exploreUrl, {
    max: config.taskProcessorConcurrency,
    name: "svc-worker-explore",
  });
  metrics.scrape.before(queueFigures(db, metrics));
  showBudgets(metrics, config.dependencies);
  if (sdk.metricsPort !== null) metrics.scrape.before(() => sdkMetrics(sdk.metricsPort as number));
  const traces = await openTraces("worker", config.traces, lostSpans(log));
  const tracer = traces?.tracer;
  const orchestration = startOrchestration({ config, db, log, metrics, tracer, idlePollMs: IDLE_POLL_MS });
  // What a queue lets in of one organization is less than its places here; this holds whatever a queue lets in.
  const egress = gatedEgress(config.egress, { onRefused: refusalLog(log), waitMs: OUTWARD_WAIT_MS });
  const hosts = openHosts({ egress, keyring, health: new IntegrationHealth(db) });
  const store = openObjectStore(config.objects.url);
  const { maxCachedWorkflows } = options;
  await warmUp(coreActivities(orchestration.service), config.database.poolSize);
  const queues = startTaskQueues({
    ...{ config, log, metrics, orchestration, tracer, db, explore, keyring, egress, hosts, store, workflowBundle },
    ...(maxCachedWorkflows !== undefined && { maxCachedWorkflows }),
  });
  const stop = async () => {
    await queues.close();
    await Promise.all([orchestration.close(), egress.close()]);
    await Promise.all([...[db, explore].map((pool) => pool.$client.end({ timeout: 5 })), traces?.close()]);
    log.info("worker stopped");
  };
  const checks: Record<string, ReadinessCheck> = {
    database: () => db.execute(sql`select 1`),
    temporal: () => isPolling(orchestration, queues),
  };
  const health = await startHealthServer(config.workerListen, checks, metrics).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  log.info({ health: health.url }, "worker started");

  let stopping: Promise<void> | undefined;
  return {
    healthUrl: health.url,
    running: queues.running,
    close() {
      stopping ??= stop().then(health.close);
      return stopping;
    },
  };
}

async function workflows(config: Config, options: WorkerProgramOptions): Promise<WorkflowBundle> {
  if (options.workflowBundle !== undefined) return options.workflowBundle;
  return config.workflowBundle === undefined ? bundleWorkflows() : { codePath: config.workflowBundle };
}

async function isPolling({ upkeep }: Orchestration, queues: TaskQueues): Promise<void> {
  if (!upkeep.ok() || !queues.running()) throw new Error("not polling for tasks");
}
