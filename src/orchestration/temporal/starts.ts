/** What is started: each kind of workflow's id, subject and standing among the others. */
import {
  defineSearchAttributeKey,
  type Priority,
  type SearchAttributePair,
  TypedSearchAttributes,
} from "@temporalio/common";
import { SEARCH_ATTRIBUTES, TASK_QUEUES, WORKFLOWS } from "../../../workflows/contract.ts";
import { type PreviewName, previewKey, taskKey, workflowIds } from "../../../workflows/ids.ts";
import type { NotificationSubject, WorkflowSubject } from "../../work/message.ts";

/** A workflow to start: which one, on which row, and how an operator finds it. */
export type WorkflowStart = {
  type: string;
  workflowId: string;
  rowId: string;
  subject: StartSubject;
  /**
   * Where its tasks stand in a backlog of its queue: `priorityKey` from 1, first, to 5; of equal ones each
   * `fairnessKey` in turn. Absent: in the middle, by age.
   */
  priority?: Priority;
  /** Where its tasks wait; absent: among the core ones. */
  taskQueue?: string;
  /**
   * It has nothing to do before so many milliseconds have passed, unless an Update wakes it: it takes no workflow task
   * until then.
   */
  sleepMs?: number | undefined;
  /** Only the first execution of its id: one that has ended is not followed by another. */
  once?: boolean;
  /** What an operator reads beside the id; absent: the deployment's mode and origin. */
  summary?: string;
};
/**
 * An entity's workflow outlives the deployments it is about, so it names none; a branch of an inbox or a notification
 * names no stack either.
 */
type StartSubject = { orgId: string } & Partial<WorkflowSubject>;

const keys = Object.fromEntries(SEARCH_ATTRIBUTES.map((name) => [name, defineSearchAttributeKey(name, "KEYWORD")]));

/** People's decisions and deadlines come before what only follows from them; among them each organization's in turn. */
function first({ orgId }: StartSubject): Priority {
  return { priorityKey: 1, fairnessKey: orgId };
}

/** Nobody waits for a check. */
const LAST = 5;

/** However many one organization waits for, another's come next; also in the queues that its activities go to. */
function inTurn({ orgId }: StartSubject): Priority {
  return { fairnessKey: orgId };
}

export function deploymentStart(subject: WorkflowSubject, sleepMs?: number): WorkflowStart {
  const rowId = subject.deploymentId;
  const workflowId = workflowIds.deployment(rowId);
  return { type: WORKFLOWS.deployment, workflowId, rowId, subject, sleepMs, priority: standingOf(subject) };
}

/** A check for drift is nobody's who waits. */
function standingOf(subject: WorkflowSubject): Priority {
  return subject.mode === "drift" ? { ...inTurn(subject), priorityKey: LAST } : first(subject);
}

export function leaseStart(runId: string, subject: WorkflowSubject, sleepMs?: number): WorkflowStart {
  const workflowId = workflowIds.lease(runId);
  return { type: WORKFLOWS.runLease, workflowId, rowId: runId, subject, sleepMs, priority: standingOf(subject) };
}

export function cascadeStart(subject: WorkflowSubject): WorkflowStart {
  const rowId = subject.deploymentId;
  const summary = "what depends on an apply";
  const priority = inTurn(subject);
  return {
    type: WORKFLOWS.dependentCascade,
    workflowId: workflowIds.cascade(rowId),
    rowId,
    subject,
    priority,
    summary,
  };
}

export function previewStart({ orgId, ...name }: PreviewName & { orgId: string }): WorkflowStart {
  const rowId = previewKey(name.stackKey, name.repositoryHash, name.number);
  const subject = { orgId, stackKey: name.stackKey, mode: "plan_unlocked", origin: "pull_request" };
  return {
    type: WORKFLOWS.prPreview,
    workflowId: workflowIds.preview(rowId),
    rowId,
    subject,
    priority: inTurn(subject),
  };
}

export function scmEventStart({ orgId, key }: { orgId: string; key: string }): WorkflowStart {
  return {
    type: WORKFLOWS.scmEvent,
    workflowId: workflowIds.scmEvent(key),
    rowId: key,
    subject: { orgId },
    priority: inTurn({ orgId }),
    summary: "deliveries about a branch",
  };
}

export function taskStart(name: { orgId: string; task: string; stackKey: string | null }): WorkflowStart {
  const rowId = taskKey(name);
  const subject = { orgId: name.orgId, ...(name.stackKey !== null && { stackKey: name.stackKey }) };
  return {
    type: WORKFLOWS.orgTask,
    workflowId: workflowIds.task(rowId),
    rowId,
    subject,
    // As notifications: nobody waits for it, and thousands must not stand before deployments.
    taskQueue: TASK_QUEUES.notify,
    priority: inTurn(subject),
    summary: name.task,
  };
}

/** An organization's checks for drift. */
export function driftStart({ orgId }: { orgId: string }): WorkflowStart {
  return {
    type: WORKFLOWS.driftChecks,
    workflowId: workflowIds.drift(orgId),
    rowId: orgId,
    subject: { orgId },
    taskQueue: TASK_QUEUES.notify,
    priority: { ...inTurn({ orgId }), priorityKey: LAST },
    summary: "checks for drift",
  };
}

/** What an organization has by schedule. */
export function schedulesStart({ orgId }: { orgId: string }): WorkflowStart {
  return {
    type: WORKFLOWS.schedules,
    workflowId: workflowIds.schedules(orgId),
    rowId: orgId,
    subject: { orgId },
    taskQueue: TASK_QUEUES.notify,
    priority: inTurn({ orgId }),
    summary: "what comes by schedule",
  };
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
    // Thousands at once must not stand before deployments; and an activity of the same queue comes with its workflow's
    // task.
    taskQueue: TASK_QUEUES.notify,
    priority: inTurn({ orgId }),
    summary: event === undefined ? "a notification" : `a notification of ${event}`,
  };
}

/** As the SDK's client takes it. */
export function startOptions(start: WorkflowStart) {
  const { workflowId, rowId, subject, summary, priority } = start;
  const { sleepMs = 0, taskQueue = TASK_QUEUES.core } = start;
  const { orgId, stackKey, deploymentId, mode, origin } = subject;
  const values = { OrgId: orgId, StackKey: stackKey, DeploymentId: deploymentId, Mode: mode, Origin: origin };
  const pairs = SEARCH_ATTRIBUTES.filter((name) => values[name] !== undefined).map(
    (name) => ({ key: keys[name], value: values[name] }) as SearchAttributePair,
  );
  return {
    workflowId,
    args: [rowId] as [string],
    taskQueue,
    ...(priority !== undefined && { priority }),
    ...(start.once && { workflowIdReusePolicy: "REJECT_DUPLICATE" as const }),
    ...(sleepMs > 0 && { startDelay: Math.ceil(sleepMs) }),
    typedSearchAttributes: new TypedSearchAttributes(pairs),
    staticSummary: summary ?? `${mode}, origin ${origin}`,
  };
}
