/** The port to Temporal: few verbs, ids and enums only, and two outcomes besides success. */
import type { Client, WorkflowClientInterceptor, WorkflowExecutionInfo } from "@temporalio/client";
import {
  defineSearchAttributeKey,
  type SearchAttributePair,
  TypedSearchAttributes,
  WorkflowExecutionAlreadyStartedError,
} from "@temporalio/common";
import { SEARCH_ATTRIBUTES, STATE_QUERY, TASK_QUEUES, WORKFLOWS } from "../../../workflows/contract.ts";
import { type PreviewName, previewKey, taskKey, workflowIds } from "../../../workflows/ids.ts";
import type { NotificationSubject, WorkflowSubject } from "../../work/message.ts";
import { backlogOf } from "./backlog.ts";
import { openClient, type TemporalSettings } from "./connection.ts";
import { sleeps, translated, unavailable } from "./errors.ts";

/** A workflow to start: which one, on which row, and how an operator finds it. */
export type WorkflowStart = {
  type: string;
  workflowId: string;
  rowId: string;
  subject: StartSubject;
  /** Of a backlog of its queue, each key gets its turn (Temporal's fairness); absent: by age among all. */
  fairnessKey?: string;
  /** Where its tasks wait; absent: among the core ones. */
  taskQueue?: string;
  /**
   * It has nothing to do before so many milliseconds have passed, unless an Update wakes it: it takes no workflow task until then.
   */
  sleepMs?: number | undefined;
  /** What an operator reads beside the id; absent: the deployment's mode and origin. */
  summary?: string;
};
/** An entity's workflow outlives the deployments it is about, so it names none; a branch of an inbox or a notification names no stack either. */
type StartSubject = { orgId: string } & Partial<WorkflowSubject>;

export type OpenWorkflow = { workflowId: string; runId: string; type: string };

export type Temporal = {
  /** Start it; `open` when one of that id is open already. */
  start(workflow: WorkflowStart): Promise<"started" | "open">;
  /** `missing` when no workflow of that id is open. */
  signal(workflowId: string, signal: string): Promise<"delivered" | "missing">;
  signalWithStart(workflow: WorkflowStart, signal: string): Promise<void>;
  /** Send an Update that only wakes, and wait until a worker has taken it. `missing` when no workflow of that id is open. */
  wake(workflowId: string, update: string): Promise<"delivered" | "missing">;
  /** Send an Update and wait for its end. The same `updateId` again joins the first. */
  update(call: UpdateCall): Promise<"answered" | "missing">;
  /** What the workflow last read of its row; null when no such workflow is known, or it sleeps and has read nothing yet. */
  state(workflowId: string): Promise<unknown>;
  /** The newest execution of that id; null when none is known. */
  describe(workflowId: string): Promise<(OpenWorkflow & { open: boolean }) | null>;
  /** End one execution by force, the open one when `runId` is absent; one that has ended already is success. */
  terminate(workflow: { workflowId: string; runId?: string }, reason: string): Promise<void>;
  /** Every open workflow of these types; some seconds behind the truth. */
  listOpen(types: readonly string[]): AsyncIterable<OpenWorkflow>;
  /** How long the oldest workflow task of these queues has waited for a worker, in milliseconds; 0 for none. */
  backlogMs(taskQueues: readonly string[]): Promise<number>;
  /** Call this whenever the server turned out to be away, also between two calls (it may be back by then). */
  onAway(listener: () => void): void;
  /** The SDK's client, for what is set up rather than called. */
  sdk: Client;
  close(): Promise<void>;
};

export type UpdateCall = { workflowId: string; name: string; argument: string; updateId: string; deadlineMs: number };

/** Longest time any call but an Update may take. */
const CALL_MS = 5_000;

const keys = Object.fromEntries(SEARCH_ATTRIBUTES.map((name) => [name, defineSearchAttributeKey(name, "KEYWORD")]));

/** Open the port. It connects on first use. Every method but those noted @throws TemporalUnavailable. */
export function openTemporal(settings: TemporalSettings, interceptors: WorkflowClientInterceptor[] = []): Temporal {
  const { client, onAway, close } = openClient(settings, interceptors);
  const { workflow } = client;
  const bounded = <T>(ms: number, call: () => Promise<T>) => client.withDeadline(Date.now() + ms, call);
  const call = <T, M>(work: () => Promise<T>, missing: () => M) => translated(() => bounded(CALL_MS, work), missing);
  const cannotBeMissing = (): never => {
    throw unavailable(undefined);
  };

  return {
    sdk: client,
    onAway,
    close,
    start: (start) =>
      call(async () => {
        try {
          await workflow.start(start.type, { ...optionsOf(start), workflowIdConflictPolicy: "FAIL" });
          return "started" as const;
        } catch (error) {
          if (error instanceof WorkflowExecutionAlreadyStartedError) return "open" as const;
          throw error;
        }
      }, cannotBeMissing),
    signal: (workflowId, signal) =>
      call(
        async () => {
          await workflow.getHandle(workflowId).signal(signal);
          return "delivered" as const;
        },
        () => "missing" as const,
      ),
    signalWithStart: (start, signal) =>
      call(async () => {
        await workflow.signalWithStart(start.type, { ...optionsOf(start), signal });
      }, cannotBeMissing),
    update: ({ workflowId, name, argument, updateId, deadlineMs }) =>
      translated(
        () =>
          bounded(deadlineMs, async () => {
            await workflow.getHandle(workflowId).executeUpdate(name, { args: [argument], updateId });
            return "answered" as const;
          }),
        () => "missing" as const,
      ),
    wake: (workflowId, update) =>
      call(
        async () => {
          await workflow.getHandle(workflowId).startUpdate(update, { waitForStage: "ACCEPTED" });
          return "delivered" as const;
        },
        () => "missing" as const,
      ),
    state: (workflowId) =>
      call(
        () =>
          workflow
            .getHandle(workflowId)
            .query(STATE_QUERY)
            .catch((error: unknown) => {
              if (sleeps(error)) return null;
              throw error;
            }),
        () => null,
      ),
    describe: (workflowId) =>
      call(
        async () => described(await workflow.getHandle(workflowId).describe()),
        () => null,
      ),
    terminate: ({ workflowId, runId }, reason) =>
      call(
        async () => void (await workflow.getHandle(workflowId, runId).terminate(reason)),
        () => undefined,
      ),
    listOpen: (types) => open(workflow, types),
    backlogMs: (taskQueues) =>
      call(
        () => backlogOf(client, settings.namespace, taskQueues),
        () => 0,
      ),
  };
}

export function deploymentStart(subject: WorkflowSubject, sleepMs?: number): WorkflowStart {
  const rowId = subject.deploymentId;
  return { type: WORKFLOWS.deployment, workflowId: workflowIds.deployment(rowId), rowId, subject, sleepMs };
}

export function leaseStart(runId: string, subject: WorkflowSubject, sleepMs?: number): WorkflowStart {
  return { type: WORKFLOWS.runLease, workflowId: workflowIds.lease(runId), rowId: runId, subject, sleepMs };
}

export function cascadeStart(subject: WorkflowSubject): WorkflowStart {
  const rowId = subject.deploymentId;
  const summary = "what depends on an apply";
  return { type: WORKFLOWS.dependentCascade, workflowId: workflowIds.cascade(rowId), rowId, subject, summary };
}

export function previewStart({ orgId, ...name }: PreviewName & { orgId: string }): WorkflowStart {
  const rowId = previewKey(name.stackKey, name.repositoryHash, name.number);
  const subject = { orgId, stackKey: name.stackKey, mode: "plan_unlocked", origin: "pull_request" };
  return { type: WORKFLOWS.prPreview, workflowId: workflowIds.preview(rowId), rowId, subject };
}

export function scmEventStart({ orgId, key }: { orgId: string; key: string }): WorkflowStart {
  return {
    type: WORKFLOWS.scmEvent,
    workflowId: workflowIds.scmEvent(key),
    rowId: key,
    subject: { orgId },
    summary: "deliveries about a branch",
  };
}

export function taskStart(name: { orgId: string; task: string; stackKey: string | null }): WorkflowStart {
  const rowId = taskKey(name);
  const subject = { orgId: name.orgId, ...(name.stackKey !== null && { stackKey: name.stackKey }) };
  return { type: WORKFLOWS.orgTask, workflowId: workflowIds.task(rowId), rowId, subject, summary: name.task };
}

export function notificationStart({
  orgId,
  deliveryId,
  event,
  stackKey,
  deploymentId,
}: NotificationSubject): WorkflowStart {
  const workflowId = workflowIds.notification(deliveryId);
  return {
    type: WORKFLOWS.notificationDelivery,
    workflowId,
    rowId: deliveryId,
    subject: { orgId, ...(stackKey && { stackKey }), ...(deploymentId && { deploymentId }) },
    // Thousands at once must not stand before deployments; and an activity of the same queue comes with its workflow's task.
    taskQueue: TASK_QUEUES.notify,
    // However many one organization waits for, another's come next.
    fairnessKey: orgId,
    summary: event === undefined ? "a notification" : `a notification of ${event}`,
  };
}

function optionsOf(start: WorkflowStart) {
  const { workflowId, rowId, subject, summary, fairnessKey, sleepMs = 0, taskQueue = TASK_QUEUES.core } = start;
  const { orgId, stackKey, deploymentId, mode, origin } = subject;
  const values = { OrgId: orgId, StackKey: stackKey, DeploymentId: deploymentId, Mode: mode, Origin: origin };
  const pairs = SEARCH_ATTRIBUTES.filter((name) => values[name] !== undefined).map(
    (name) => ({ key: keys[name], value: values[name] }) as SearchAttributePair,
  );
  return {
    workflowId,
    args: [rowId] as [string],
    taskQueue,
    ...(fairnessKey !== undefined && { priority: { fairnessKey } }),
    ...(sleepMs > 0 && { startDelay: Math.ceil(sleepMs) }),
    typedSearchAttributes: new TypedSearchAttributes(pairs),
    staticSummary: summary ?? `${mode}, origin ${origin}`,
  };
}

function described(
  info: Pick<WorkflowExecutionInfo, "workflowId" | "runId" | "type" | "status">,
): OpenWorkflow & { open: boolean } {
  const { workflowId, runId, type, status } = info;
  return { workflowId, runId, type, open: status.name === "RUNNING" };
}

async function* open(workflow: Client["workflow"], types: readonly string[]): AsyncIterable<OpenWorkflow> {
  const quoted = types.map((type) => `'${type}'`).join(", ");
  const query = `ExecutionStatus = 'Running' and WorkflowType in (${quoted})`;
  try {
    for await (const info of workflow.list({ query, pageSize: 1_000 })) yield described(info);
  } catch (error) {
    throw unavailable(error);
  }
}
