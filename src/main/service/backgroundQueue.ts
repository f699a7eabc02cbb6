import { driftActivities } from "../../../activities/drift.ts";
import { policyActivities } from "../../../activities/policies.ts";
import { taskActivities } from "../../../activities/tasks.ts";
import { TASK_QUEUES } from "../../../workflows/contract.ts";
import { usageMeter } from "../../graph/dependencies/usage.ts";
import type { TaskRunner } from "../../graph/tasks/runSlice.ts";
import { sealedObjects } from "../../platform/objects/sealed.ts";
import { KINDS_OF_WORK } from "./kindsOfWork.ts";
import type { Queue, TaskQueueNeeds } from "./queues.ts";

/** After this long a background task gives its slot back and stands in line again. */
const SLICE_MS = 120_000;

/** Long work on whole organizations takes no slots of what people wait for. */
export function backgroundQueue(needs: TaskQueueNeeds): Queue {
  const { service } = needs.orchestration;
  const drift = { service, checksPerHour: needs.config.driftChecksPerHour };
  const policies = { service, objects: sealedObjects(needs.store, needs.keyring) };
  const activities = { ...taskActivities(taskRunner(needs)), ...driftActivities(drift), ...policyActivities(policies) };
  return { taskQueue: TASK_QUEUES.tasks, maxActivities: needs.config.taskProcessorConcurrency, activities };
}

function taskRunner(needs: TaskQueueNeeds): TaskRunner {
  const { config, db, explore, keyring, log, metrics, orchestration, store } = needs;
  return {
    deps: {
      service: orchestration.service,
      explore,
      objects: sealedObjects(store, keyring),
      budgets: config.dependencies,
      measureGraph: usageMeter(db, config.dependencies, metrics),
    },
    kinds: KINDS_OF_WORK,
    sliceMs: SLICE_MS,
    sliceEnded({ kind, orgId, stackKey, attempts }, outcome, seconds, error) {
      metrics.taskSlices.observe({ kind, outcome }, seconds);
      if (error !== undefined)
        log.warn({ err: error, kind, orgId, stackKey, attempts: attempts + 1 }, "a slice of a background task failed");
    },
  };
}
