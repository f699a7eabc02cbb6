/** A worker on one task queue that outlives everything but its own process: it connects again, for ever. */
import type { Tracer } from "@opentelemetry/api";
import { type ActivityInterceptorsFactory, NativeConnection, Worker, type WorkerOptions } from "@temporalio/worker";
import type { Logger } from "../../platform/telemetry/log.ts";
import { pause, spread } from "../../platform/time/pause.ts";
import { type FailureSeen, failureReducer } from "./activityFailures.ts";
import { activitySpans } from "./activitySpans.ts";
import { type ActivityPlaces, activityTurns } from "./activityTurns.ts";
import { reachOf, type TemporalSettings } from "./connection.ts";

export type WorkflowBundle = NonNullable<WorkerOptions["workflowBundle"]>;

export type CoreWorkerOptions = {
  settings: TemporalSettings;
  taskQueue: string;
  activities: object;
  /** The bundle's code or a file that holds it, made once for all workers of a program; absent: activities only. */
  workflowBundle?: WorkflowBundle;
  log: Logger;
  /**
   * Workflows kept in memory. The SDK's default follows the heap and has run others out of memory; one of ours takes
   * some 100 kB, and one that is not cached costs a replay of at most a few dozen events.
   */
  maxCachedWorkflows?: number;
  onActivityFailure?: FailureSeen;
  /** Absent: no spans are made. */
  tracer?: Tracer | undefined;
  /** How many of the regular activities may be of one organization; absent: all. */
  places?: ActivityPlaces;
  /** Regular activities at once; 20 when absent. */
  maxActivities?: number;
  /** Workflow tasks at once; 10 when absent. */
  maxWorkflowTasks?: number;
};

export type CoreWorker = {
  /** Whether it polls for tasks now. */
  running(): boolean;
  /** Take no more tasks, finish what runs, within 20 s. */
  close(): Promise<void>;
};

const DEFAULT_CACHE = 500;
const RECONNECT_MS = 1_000;
/** What runs gets this long to finish before it is cancelled, and this long before the worker gives up on it. */
const GRACE_MS = 10_000;
const FORCE_MS = 20_000;

export function startCoreWorker(options: CoreWorkerOptions): CoreWorker {
  const { log } = options;
  const closing = new AbortController();
  let worker: Worker | undefined;

  async function runOnce(): Promise<void> {
    const connection = await NativeConnection.connect(reachOf(options.settings));
    try {
      if (closing.signal.aborted) return;
      worker = await Worker.create(workerOptions(options, connection));
      const done = worker.run();
      if (closing.signal.aborted) worker.shutdown();
      log.info({ taskQueue: options.taskQueue }, "worker polls for tasks");
      await done;
    } finally {
      worker = undefined;
      await connection.close();
    }
  }

  async function run(): Promise<void> {
    let warned = false;
    while (!closing.signal.aborted) {
      try {
        await runOnce();
        warned = false;
      } catch (error) {
        // Its namespace is gone, or Temporal is not there (yet): said once, tried on.
        if (!warned) log.warn({ err: error, taskQueue: options.taskQueue }, "worker cannot poll, trying again");
        warned = true;
      }
      await pause(spread(RECONNECT_MS, [0.5, 1.5], Math.random()), closing.signal);
    }
  }

  const running = run();
  return {
    running: () => worker?.getState() === "RUNNING",
    async close() {
      closing.abort();
      if (worker?.getState() === "RUNNING") worker.shutdown();
      await running;
    },
  };
}

function workerOptions(options: CoreWorkerOptions, connection: NativeConnection): WorkerOptions {
  return {
    connection,
    namespace: options.settings.namespace,
    taskQueue: options.taskQueue,
    activities: options.activities,
    ...(options.workflowBundle !== undefined && { workflowBundle: options.workflowBundle }),
    maxCachedWorkflows: options.maxCachedWorkflows ?? DEFAULT_CACHE,
    // What a worker has taken has no order any more. The fewer, the sooner comes what has priority, and the truer is
    // the backlog.
    maxConcurrentWorkflowTaskExecutions: options.maxWorkflowTasks ?? 10,
    // Each holds a connection of the pool for some milliseconds; more would only wait for one.
    maxConcurrentLocalActivityExecutions: 20,
    maxConcurrentActivityTaskExecutions: options.maxActivities ?? 20,
    // A killed worker's cached workflows are offered to the others after this long.
    stickyQueueScheduleToStartTimeout: 5_000,
    shutdownGraceTime: GRACE_MS,
    shutdownForceTime: FORCE_MS,
    interceptors: { activity: activityInterceptors(options) },
  };
}

/**
 * What stands around every activity: first its organization's place, without which it is not begun; then its span, and
 * within it what reduces its failure.
 */
export function activityInterceptors({
  tracer,
  places,
  onActivityFailure = () => {},
}: Pick<CoreWorkerOptions, "tracer" | "places" | "onActivityFailure">): ActivityInterceptorsFactory[] {
  const turns: ActivityInterceptorsFactory[] =
    places === undefined
      ? []
      : [
          ({ info }) => ({
            inbound: activityTurns(places, { organization: info.priority?.fairnessKey, attempt: info.attempt }),
          }),
        ];
  const spans: ActivityInterceptorsFactory[] =
    tracer === undefined ? [] : [({ info }) => ({ inbound: activitySpans(tracer, info) })];
  return [...turns, ...spans, ({ info }) => ({ inbound: failureReducer(info.activityType, onActivityFailure) })];
}
