/** What each task queue's worker does, and how much of it at once. */
import type { Tracer } from "@opentelemetry/api";
import { cascadeActivities } from "../../../activities/cascades.ts";
import { coreActivities } from "../../../activities/core.ts";
import { notificationActivities } from "../../../activities/notifications.ts";
import { previewActivities } from "../../../activities/previews.ts";
import { scheduleActivities } from "../../../activities/schedules.ts";
import { scmEventActivities } from "../../../activities/scmEvents.ts";
import { TASK_QUEUES } from "../../../workflows/contract.ts";
import { installationMail } from "../../exchange/notifications/mail/installationMail.ts";
import { createGate } from "../../exchange/notifications/targetGate.ts";
import { headFrom } from "../../exchange/scm/headFrom.ts";
import type { Hosts } from "../../exchange/scm/host/hosts.ts";
import { publishingHost } from "../../exchange/scm/host/ports.ts";
import { pacer } from "../../graph/cascade/pace.ts";
import { ActivityPlaces } from "../../orchestration/temporal/activityTurns.ts";
import type { CoreWorkerOptions, WorkflowBundle } from "../../orchestration/temporal/worker.ts";
import type { Keyring } from "../../platform/crypto/keyring.ts";
import type { Db } from "../../platform/db/client.ts";
import type { Egress } from "../../platform/egress/egress.ts";
import { sealedObjects } from "../../platform/objects/sealed.ts";
import type { ObjectStore } from "../../platform/objects/store.ts";
import type { Logger } from "../../platform/telemetry/log.ts";
import type { Metrics } from "../../platform/telemetry/metrics.ts";
import type { Config } from "../config/settings.ts";
import type { Orchestration } from "./orchestration.ts";
import { periodicJobs } from "./periodicJobs.ts";

export type TaskQueueNeeds = {
  config: Config;
  log: Logger;
  metrics: Metrics;
  orchestration: Orchestration;
  tracer: Tracer | undefined;
  db: Db;
  explore: Db;
  keyring: Keyring;
  egress: Egress;
  hosts: Hosts;
  store: ObjectStore;
  workflowBundle: WorkflowBundle;
  maxCachedWorkflows?: number;
};

const NOTIFICATIONS_CACHED = 200;
/** The SDK keeps one of them for workflows that it has in memory, so it takes no fewer than two. */
const NOTIFICATION_TASKS = 2;

/** They share the process's pace; a host that is slow for one of them holds up few. */
const CASCADES_AT_ONCE = 20;

/** Nobody waits for a cascade's lookup, and a refused one would have to come back. */
const GIT_WAIT_MS = 60_000;

export type Queue = Pick<
  CoreWorkerOptions,
  "taskQueue" | "activities" | "maxActivities" | "places" | "maxWorkflowTasks" | "workflowBundle" | "maxCachedWorkflows"
>;

/** A quarter of the places is for other organizations, however many hosts of one hang. */
function shareOf(activities: number): ActivityPlaces {
  return new ActivityPlaces(Math.max(1, Math.floor((activities * 3) / 4)));
}

export function coreQueue(needs: TaskQueueNeeds): Queue {
  const { config, log, metrics, orchestration, store, keyring, workflowBundle, maxCachedWorkflows } = needs;
  return {
    taskQueue: TASK_QUEUES.core,
    activities: {
      ...coreActivities(orchestration.service, config.publicBaseUrl),
      ...periodicJobs(orchestration, metrics, config, log, store, keyring),
    },
    workflowBundle,
    ...(maxCachedWorkflows !== undefined && { maxCachedWorkflows }),
  };
}

/** A code host that hangs takes the slots of this one only. */
export function scmQueue({ config, db, log, hosts, orchestration }: TaskQueueNeeds): Queue {
  return {
    taskQueue: TASK_QUEUES.scm,
    maxActivities: config.scm.concurrency,
    places: shareOf(config.scm.concurrency),
    activities: {
      ...previewActivities({ db, host: publishingHost(db, hosts), publicBaseUrl: config.publicBaseUrl }),
      ...scmEventActivities({
        service: orchestration.service,
        hosts,
        policy: config.scm,
        onUnexpected: (error) => log.error({ err: error }, "a delivery could not be worked on"),
      }),
    },
  };
}

/** What follows applies and what comes by schedule; slow, since it keeps a pace and asks hosts for commits. */
export function cascadeQueue({
  config,
  db,
  log,
  metrics,
  egress,
  hosts,
  keyring,
  store,
  orchestration,
}: TaskQueueNeeds): Queue {
  const { service } = orchestration;
  const headOf = headFrom({ ...config, gitWaitMs: GIT_WAIT_MS }, { db, egress, hosts });
  return {
    taskQueue: TASK_QUEUES.cascade,
    maxActivities: CASCADES_AT_ONCE,
    places: shareOf(CASCADES_AT_ONCE),
    activities: {
      ...cascadeActivities({
        service,
        objects: sealedObjects(store, keyring),
        headOf,
        policy: config.scm,
        budgets: config.dependencies,
        pace: pacer(config.cascadesPerSecond),
        count: (outcome, by) => metrics.cascadeDependents.inc({ outcome }, by),
        resolved: (ms) => metrics.cascadeDuration.observe(ms / 1000),
        onUnexpected: (error, about) => log.error({ err: error, ...about }, "a dependent could not be triggered"),
      }),
      ...scheduleActivities({
        service,
        keyring,
        headOf,
        onUnexpected: (error, about) => log.error({ err: error, ...about }, "a scheduled deployment could not be made"),
      }),
    },
  };
}

export function notificationQueue(needs: TaskQueueNeeds): Queue {
  const { config, db, keyring, egress, metrics, workflowBundle } = needs;
  const { concurrency, targetConcurrency, retrySchedule } = config.notifications;
  return {
    taskQueue: TASK_QUEUES.notify,
    workflowBundle,
    // They hardly come back: most are done with their second task.
    maxCachedWorkflows: needs.maxCachedWorkflows ?? NOTIFICATIONS_CACHED,
    maxActivities: concurrency,
    // They share the processor with the tasks of deployments.
    maxWorkflowTasks: NOTIFICATION_TASKS,
    activities: notificationActivities({
      db,
      keyring,
      egress,
      mail: installationMail(config.mail),
      // Half of the places are for other organizations, however many silent targets one has.
      gate: createGate({
        perTarget: targetConcurrency,
        perOrg: Math.max(targetConcurrency, Math.ceil(concurrency / 2)),
      }),
      schedule: retrySchedule,
      count: (outcome) => metrics.notificationAttempts.inc({ outcome }),
    }),
  };
}
