/**
 * Turns one outbox message into one call to Temporal. Sending it twice changes nothing
 * (docs/rules/workflows.md#the-outbox).
 */
import { previewKey, taskKey, workflowIds } from "../../../workflows/ids.ts";
import type { OutboxMessage } from "../../work/message.ts";
import type { Temporal } from "../temporal/client.ts";
import {
  cascadeStart,
  deploymentStart,
  driftStart,
  leaseStart,
  notificationStart,
  previewStart,
  schedulesStart,
  scmEventStart,
  taskStart,
} from "../temporal/starts.ts";

/** The status of a deployment that has ended while its workflow slept; null for any other. */
export type EndedAs = (deploymentId: string) => Promise<string | null>;

type To<K extends OutboxMessage["kind"]> = Extract<OutboxMessage, { kind: K }>;

/** @param ageMs how long ago the message was written, in milliseconds */
export type Send = (message: OutboxMessage, ageMs: number) => Promise<void>;

/**
 * A signal that finds no open workflow is delivered: every start reads its row. `fanOut` turns a domain event into
 * deliveries in one transaction of its own.
 */
export function outboxSender(
  temporal: Pick<Temporal, "start" | "signal" | "signalWithStart" | "wake" | "terminate">,
  fanOut: (domainEventId: string) => Promise<void>,
  endedAs: EndedAs = async () => null,
): Send {
  /**
   * A decision may have begun the workflow before, and ended it: then there is nothing to start. Where it never woke,
   * its end may have been sent before this start, and nobody else would end what sleeps.
   */
  async function startDeployment(message: To<"startDeployment">, ageMs: number): Promise<void> {
    const { deploymentId, sleepMs = 0 } = message;
    await temporal.start({ ...deploymentStart(message, remaining(sleepMs, ageMs)), once: true });
    if (sleepMs === 0) return;
    const status = await endedAs(deploymentId);
    if (status !== null) await temporal.terminate({ workflowId: workflowIds.deployment(deploymentId) }, ended(status));
  }

  /** Where a start that sleeps comes in between, the workflow is there after all, and asleep. */
  async function wakeDeployment(message: To<"wakeDeployment">): Promise<void> {
    const wake = () => temporal.wake(workflowIds.deployment(message.deploymentId), message.signal);
    if ((await wake()) === "delivered") return;
    if ((await temporal.start(deploymentStart(message))) === "open") await wake();
  }

  return async (message, ageMs) => {
    switch (message.kind) {
      case "startDeployment":
        await startDeployment(message, ageMs);
        return;
      case "signalDeployment":
        await temporal.signal(workflowIds.deployment(message.deploymentId), message.signal);
        return;
      case "wakeDeployment":
        await wakeDeployment(message);
        return;
      case "endDeployment":
        await temporal.terminate({ workflowId: workflowIds.deployment(message.deploymentId) }, ended(message.status));
        return;
      case "assignLease":
        await temporal.signalWithStart(
          leaseStart(message.runId, message, remaining(message.sleepMs, ageMs)),
          "assigned",
        );
        return;
      case "wakeLease":
        begun(message, await temporal.wake(workflowIds.lease(message.runId), message.signal), ageMs);
        return;
      case "endLease":
        begun(
          message,
          await temporal.terminate({ workflowId: workflowIds.lease(message.runId) }, ended(message.status)),
          ageMs,
        );
        return;
      case "signalLease":
        await temporal.signal(workflowIds.lease(message.runId), message.signal);
        return;
      case "signalPreview":
        if (message.signal === "headMoved") await temporal.signalWithStart(previewStart(message), message.signal);
        else await temporal.signal(previewId(message), message.signal);
        return;
      case "scmEventArrived":
        await temporal.signalWithStart(scmEventStart(message), "arrived");
        return;
      case "taskRequested":
        await temporal.signalWithStart(taskStart(message), "again");
        return;
      case "driftChanged":
        await temporal.signalWithStart(driftStart(message), "changed");
        return;
      case "schedulesChanged":
        await temporal.signalWithStart(schedulesStart(message), "changed");
        return;
      case "startCascade":
        await temporal.start(cascadeStart(message));
        return;
      case "fanOut":
        await fanOut(message.domainEventId);
        return;
      case "startNotification":
        await temporal.start(notificationStart(message));
        return;
      case "retryNotification":
        await temporal.signalWithStart(notificationStart(message), "reread");
        return;
      case "endNotification":
        await temporal.signal(workflowIds.notification(message.deliveryId), "reread");
        return;
    }
  };
}

/**
 * What is left of a sleep that began when the message was written. A workflow that would wake at once is started awake.
 */
function remaining(sleepMs: number | undefined, ageMs: number): number {
  return Math.max((sleepMs ?? 0) - ageMs, 0);
}

/** How long a lease's start may be on its way while what was written after it is sent. */
const START_ON_ITS_WAY_MS = 5_000;

/**
 * Other senders carry the start of a lease, and one that sleeps would not learn of what overtook its start: it is sent
 * again. Later, a lease that is missing has ended by itself.
 */
function begun({ kind, runId }: To<"wakeLease" | "endLease">, outcome: "delivered" | "missing", ageMs: number): void {
  if (outcome === "missing" && ageMs < START_ON_ITS_WAY_MS) throw new NotBegunYet(`${kind} of ${runId}`);
}

class NotBegunYet extends Error {
  override name = "NotBegunYet";
}

/** An operator reads it as the reason for which a workflow that never had a task was terminated. */
export const ENDED_ASLEEP = "nothing was due before it ended";

function ended(status: string): string {
  return `${ENDED_ASLEEP}: ${status}`;
}

/** Messages of one key are sent in the order of their ids. */
export function orderingKey(message: OutboxMessage): string {
  switch (message.kind) {
    case "startDeployment":
    case "signalDeployment":
    case "wakeDeployment":
    case "endDeployment":
      return workflowIds.deployment(message.deploymentId);
    case "assignLease":
    case "signalLease":
    case "wakeLease":
    case "endLease":
      return workflowIds.lease(message.runId);
    case "signalPreview":
      return previewId(message);
    case "scmEventArrived":
      return workflowIds.scmEvent(message.key);
    case "taskRequested":
      return workflowIds.task(taskKey(message));
    case "driftChanged":
      return workflowIds.drift(message.orgId);
    case "schedulesChanged":
      return workflowIds.schedules(message.orgId);
    case "startCascade":
      return workflowIds.cascade(message.deploymentId);
    case "fanOut":
      return `event/${message.domainEventId}`;
    case "startNotification":
    case "retryNotification":
    case "endNotification":
      return workflowIds.notification(message.deliveryId);
  }
}

function previewId({ stackKey, repositoryHash, number }: To<"signalPreview">): string {
  return workflowIds.preview(previewKey(stackKey, repositoryHash, number));
}
