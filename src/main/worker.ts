/** The worker program: runs the workflows and their activities, relays the outbox, keeps Temporal in order (design 2, 3). */
import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import { sql } from "drizzle-orm";
import { cascadeActivities } from "../../activities/cascades.ts";
import { coreActivities } from "../../activities/core.ts";
import { jobActivities } from "../../activities/jobs.ts";
import { notificationActivities } from "../../activities/notifications.ts";
import { previewActivities } from "../../activities/previews.ts";
import { scmEventActivities } from "../../activities/scmEvents.ts";
import { taskActivities } from "../../activities/tasks.ts";
import { TASK_QUEUES } from "../../workflows/contract.ts";
import { pacer } from "../cascade/pace.ts";
import { type Config, loadConfig } from "../config.ts";
import { createKeyring } from "../crypto/keyring.ts";
import { connect } from "../db/client.ts";
import { showBudgets, usageMeter } from "../dependencies/usage.ts";
import { createEgress, type Egress } from "../egress/egress.ts";
import { removeSources } from "../localSources/removeSources.ts";
import { removeExpired } from "../members/removeExpired.ts";
import { auditSeats } from "../members/seatAudit.ts";
import { createGate } from "../notifications/targetGate.ts";
import { openObjectStore } from "../objects/openStore.ts";
import { type SealedObjects, sealedObjects } from "../objects/sealed.ts";
import type { ObjectStore } from "../objects/store.ts";
import { checkSealingKeys } from "../operator/sealingKeys.ts";
import { retire } from "../retention/retire.ts";
import { housekeep } from "../runners/housekeeping.ts";
import { gitSettings } from "../scm/gitSettings.ts";
import { type Hosts, openHosts } from "../scm/host/hosts.ts";
import { publishingHost } from "../scm/host/ports.ts";
import { ConfigError } from "../settings/setting.ts";
import type { TaskDeps } from "../tasks/kinds.ts";
import { KINDS_OF_WORK } from "../tasks/kindsOfWork.ts";
import { removeDoneTasks } from "../tasks/removeDone.ts";
import type { TaskRunner } from "../tasks/runSlice.ts";
import { sweepDependencies } from "../tasks/sweep.ts";
import { healthRoutes, type ReadinessCheck } from "../telemetry/health.ts";
import { createLogger, type Logger } from "../telemetry/log.ts";
import { createMetrics, type Metrics } from "../telemetry/metrics.ts";
import { queueFigures } from "../telemetry/queueFigures.ts";
import { lostSpans, openTraces } from "../telemetry/traces.ts";
import { bundleWorkflows } from "../temporal/bundle.ts";
import { reconcile } from "../temporal/reconcile.ts";
import { installRuntime } from "../temporal/runtime.ts";
import { sdkMetrics } from "../temporal/sdkMetrics.ts";
import { type CoreWorker, startCoreWorker, type WorkflowBundle } from "../temporal/worker.ts";
import { type Orchestration, startOrchestration } from "./orchestration.ts";

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

/** Longest time an outbox row waits beyond its due time when the process that wrote it is gone. */
const IDLE_POLL_MS = 1_000;
const NOTIFICATIONS_CACHED = 200;

/** They share the process's pace; a host that is slow for one of them holds up few. */
const CASCADES_AT_ONCE = 20;

/** After this long a background task gives its slot back and stands in line again (spec 8). */
const SLICE_MS = 120_000;

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
  const orchestration = startOrchestration({
    config,
    db,
    log,
    metrics,
    tracer: traces?.tracer,
    idlePollMs: IDLE_POLL_MS,
  });
  const egress = createEgress(config.egress);
  const hosts = openHosts({ egress, keyring });
  const store = openObjectStore(config.objects.url);
  const onAnyQueue = {
    settings: config.temporal,
    log,
    tracer: traces?.tracer,
    onActivityFailure: (activity: string, failure: object) =>
      log.warn({ activity, ...failure }, "activity failed, will be retried"),
  };
  const worker = startCoreWorker({
    ...onAnyQueue,
    taskQueue: TASK_QUEUES.core,
    activities: activitiesOf(orchestration, metrics, config, log, store),
    workflowBundle,
    ...(options.maxCachedWorkflows !== undefined && { maxCachedWorkflows: options.maxCachedWorkflows }),
  });
  // A code host that hangs takes the slots of this one only.
  const scmWorker = startCoreWorker({
    ...onAnyQueue,
    taskQueue: TASK_QUEUES.scm,
    maxActivities: config.scm.concurrency,
    activities: {
      ...previewActivities({ db, host: publishingHost(db, hosts), publicBaseUrl: config.publicBaseUrl }),
      ...scmEventActivities({
        service: orchestration.service,
        hosts,
        policy: config.scm,
        onUnexpected: (error) => log.error({ err: error }, "a delivery could not be worked on"),
      }),
    },
  });
  const objects = sealedObjects(store, keyring);
  const cascadeWorker = startCoreWorker({
    ...onAnyQueue,
    taskQueue: TASK_QUEUES.cascade,
    maxActivities: CASCADES_AT_ONCE,
    activities: cascadesOf(orchestration, metrics, config, log, { egress, hosts, objects }),
  });
  // Long work on whole organizations takes no slots of what people wait for.
  const taskWorker = startCoreWorker({
    ...onAnyQueue,
    taskQueue: TASK_QUEUES.tasks,
    maxActivities: config.taskProcessorConcurrency,
    activities: taskActivities(
      taskRunner(
        {
          service: orchestration.service,
          explore,
          objects: sealedObjects(store, keyring),
          budgets: config.dependencies,
          measureGraph: usageMeter(db, config.dependencies, metrics),
        },
        metrics,
        log,
      ),
    ),
  });
  const { concurrency, targetConcurrency } = config.notifications;
  const notifyWorker = startCoreWorker({
    ...onAnyQueue,
    taskQueue: TASK_QUEUES.notify,
    workflowBundle,
    // They hardly come back: most are done with their second task.
    maxCachedWorkflows: options.maxCachedWorkflows ?? NOTIFICATIONS_CACHED,
    maxActivities: concurrency,
    activities: notificationActivities({
      db,
      keyring,
      egress,
      // Half of the places are for other organizations, however many silent targets one has.
      gate: createGate({
        perTarget: targetConcurrency,
        perOrg: Math.max(targetConcurrency, Math.ceil(concurrency / 2)),
      }),
      schedule: config.notifications.retrySchedule,
      count: (outcome) => metrics.notificationAttempts.inc({ outcome }),
    }),
  });
  const checks: Record<string, ReadinessCheck> = {
    database: () => db.execute(sql`select 1`),
    temporal: () => isPolling(orchestration, worker),
  };
  const stop = async () => {
    await Promise.all([worker, scmWorker, cascadeWorker, taskWorker, notifyWorker].map((each) => each.close()));
    await Promise.all([orchestration.close(), egress.close()]);
    await Promise.all([...[db, explore].map((pool) => pool.$client.end({ timeout: 5 })), traces?.close()]);
    log.info("worker stopped");
  };
  const health = await listen(config.workerListen, checks, metrics).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  log.info({ health: health.url }, "worker started");

  let stopping: Promise<void> | undefined;
  return {
    healthUrl: health.url,
    running: worker.running,
    close() {
      stopping ??= stop().then(health.close);
      return stopping;
    },
  };
}

type CascadeNeeds = { egress: Egress; hosts: Hosts; objects: SealedObjects };

/** What depends on applies; slow, since it keeps a pace, and so on a queue of its own. */
function cascadesOf(
  { service }: Orchestration,
  metrics: Metrics,
  config: Config,
  log: Logger,
  { egress, hosts, objects }: CascadeNeeds,
): object {
  return cascadeActivities({
    service,
    objects,
    git: gitSettings(config, { db: service.db, egress, hosts }),
    policy: config.scm,
    budgets: config.dependencies,
    pace: pacer(config.cascadesPerSecond),
    count: (outcome, by) => metrics.cascadeDependents.inc({ outcome }, by),
    resolved: (ms) => metrics.cascadeDuration.observe(ms / 1000),
    onUnexpected: (error, about) => log.error({ err: error, ...about }, "a dependent could not be triggered"),
  });
}

async function workflows(config: Config, options: WorkerProgramOptions): Promise<WorkflowBundle> {
  if (options.workflowBundle !== undefined) return options.workflowBundle;
  return config.workflowBundle === undefined ? bundleWorkflows() : { codePath: config.workflowBundle };
}

function activitiesOf(
  { service, temporal }: Orchestration,
  metrics: Metrics,
  config: Config,
  log: Logger,
  store: ObjectStore,
): object {
  const jobs = jobActivities({
    reconcile: () =>
      reconcile(service, temporal, {
        healed: (workflow, action) => metrics.reconcilerHealed.inc({ workflow, action }),
      }),
    housekeep: () =>
      allInTurn([
        () => housekeep(service),
        () => removeSources(service.db, store, config.localSourceRetentionMs),
        () => retire(service.db, store, config.retention),
        () => removeExpired(service.db),
        () => removeDoneTasks(service.db),
      ]),
    auditSeats: () => auditSeats(service.db, log),
    sweepDependencies: () => sweepDependencies(service),
  });
  return { ...coreActivities(service, config.publicBaseUrl), ...jobs };
}

function taskRunner(deps: TaskDeps, metrics: Metrics, log: Logger): TaskRunner {
  return {
    deps,
    kinds: KINDS_OF_WORK,
    sliceMs: SLICE_MS,
    sliceEnded({ kind, orgId, stackKey, attempts }, outcome, seconds, error) {
      metrics.taskSlices.observe({ kind, outcome }, seconds);
      if (error !== undefined)
        log.warn({ err: error, kind, orgId, stackKey, attempts: attempts + 1 }, "a slice of a background task failed");
    },
  };
}

/** One that fails does not keep the others from their turn; then the first failure is the result. */
async function allInTurn(jobs: readonly (() => Promise<Record<string, number>>)[]): Promise<Record<string, number>> {
  const failures: unknown[] = [];
  const counts: Record<string, number> = {};
  for (const job of jobs) Object.assign(counts, await job().catch((error: unknown) => void failures.push(error)));
  if (failures.length > 0) throw failures[0];
  return counts;
}

async function isPolling({ upkeep }: Orchestration, worker: CoreWorker): Promise<void> {
  if (!upkeep.ok() || !worker.running()) throw new Error("not polling for tasks");
}

type HealthServer = { url: string; close(): Promise<void> };

function listen(
  { host, port }: Config["workerListen"],
  checks: Record<string, ReadinessCheck>,
  { scrape }: Metrics,
): Promise<HealthServer> {
  return new Promise((resolve, reject) => {
    const { fetch } = healthRoutes(checks, scrape);
    const server = serve({ fetch, hostname: host, port }, (address: AddressInfo) => {
      const name = host.includes(":") ? `[${host}]` : host;
      const close = () => new Promise<void>((closed) => server.close(() => closed()));
      resolve({ url: `http://${name}:${address.port}`, close });
    });
    server.on("error", reject);
  });
}

async function main(): Promise<void> {
  const worker = await startWorker(loadConfig(process.env, "worker"));
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => void worker.close());
}

if (import.meta.main) {
  main().catch((error: unknown) => {
    console.error(error instanceof ConfigError ? error.message : error);
    process.exitCode = 1;
  });
}
