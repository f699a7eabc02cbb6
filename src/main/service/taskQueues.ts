/**
 * A worker for each task queue, so that slow work of one kind takes no slots of another
 * (docs/rules/workflows.md#a-queue-for-each-kind-of-work).
 */
import { type CoreWorker, startCoreWorker } from "../../orchestration/temporal/worker.ts";
import { backgroundQueue } from "./backgroundQueue.ts";
import { cascadeQueue, coreQueue, notificationQueue, type Queue, scmQueue, type TaskQueueNeeds } from "./queues.ts";

export type TaskQueues = {
  /** Whether the core queue, which every deployment needs, is polled now. */
  running(): boolean;
  close(): Promise<void>;
};

export function startTaskQueues(needs: TaskQueueNeeds): TaskQueues {
  const { config, log, tracer } = needs;
  const start = (queue: Queue): CoreWorker =>
    startCoreWorker({
      settings: config.temporal,
      log,
      tracer,
      onActivityFailure: (activity, failure) => log.warn({ activity, ...failure }, "activity failed, will be retried"),
      ...queue,
    });
  const core = start(coreQueue(needs));
  const others = [scmQueue, cascadeQueue, backgroundQueue, notificationQueue].map((queue) => start(queue(needs)));
  return {
    running: core.running,
    async close() {
      await Promise.all([core, ...others].map((worker) => worker.close()));
    },
  };
}
