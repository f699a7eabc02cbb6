/**
 * Messages to Temporal, written as rows in the causing transaction (docs/rules/workflows.md#the-outbox). Each only
 * says "start" or "read your row again": ids and enums, never a fact. A leaf file.
 */

/** What a workflow needs to be found by an operator: its search attributes. */
export type WorkflowSubject = {
  orgId: string;
  stackKey: string;
  deploymentId: string;
  mode: string;
  origin: string;
};

export type DeploymentSignal = "promoted" | "runFinished" | "newerPlan" | "policyChanged" | "reread";
export type LeaseSignal = "cancelRequested" | "finished" | "reread";
/** What may bring a deadline nearer than the one a workflow sleeps until. */
export type DeploymentWake = "runFinished" | "policyChanged" | "reread";
export type LeaseWake = "cancelRequested" | "reread";

export type PreviewSignal = "headMoved" | "requirementsChanged" | "deploymentChanged" | "closed";

export type OutboxMessage =
  /** Start `deployment/{id}`; an open one of that id is success. */
  | ({ kind: "startDeployment"; sleepMs?: number } & WorkflowSubject)
  /** Into its history, and read soon by one that is awake; when its row is `over`, whenever there is time. */
  | { kind: "signalDeployment"; deploymentId: string; orgId?: string; signal: DeploymentSignal; over?: true }
  /** The same, and one that sleeps wakes for it; one that was not started yet is started awake. */
  | ({ kind: "wakeDeployment"; signal: DeploymentWake } & WorkflowSubject)
  /** Its row is terminal and it never woke: it ends without a task of its own. `status` is what an operator reads. */
  | { kind: "endDeployment"; deploymentId: string; orgId: string; status: string }
  /** Signal `assigned` to `lease/{runId}`, starting it when it is not open. */
  | ({ kind: "assignLease"; runId: string; sleepMs?: number } & WorkflowSubject)
  | { kind: "signalLease"; runId: string; orgId?: string; signal: LeaseSignal; over?: true }
  /** The same, and one that sleeps wakes for it. */
  | { kind: "wakeLease"; runId: string; orgId: string; signal: LeaseWake }
  /** Its run has ended and it never woke: it ends without a task of its own. */
  | { kind: "endLease"; runId: string; orgId: string; status: string }
  /** Signal `pr/{stack}/{repository}/{number}`; `headMoved` starts it when it is not open. */
  | {
      kind: "signalPreview";
      orgId: string;
      stackKey: string;
      repositoryHash: string;
      number: number;
      signal: PreviewSignal;
    }
  /** Signal `arrived` to `scm/{key}`, starting it when it is not open. */
  | { kind: "scmEventArrived"; orgId: string; key: string }
  /** Signal `again` to `task/{task}/{stack or organization}`, starting it when it is not open. */
  | { kind: "taskRequested"; orgId: string; task: string; stackKey: string | null }
  /** Signal `changed` to `drift/{organization}`, starting it when it is not open. */
  | { kind: "driftChanged"; orgId: string }
  /** Signal `changed` to `schedules/{organization}`, starting it when it is not open. */
  | { kind: "schedulesChanged"; orgId: string }
  /** Start `cascade/{deploymentId}` of an apply that something depends on; an open one of that id is success. */
  | ({ kind: "startCascade" } & WorkflowSubject)
  /** Done by the relay itself: turn a domain event into deliveries. Not stored where nobody asks for such events. */
  | { kind: "fanOut"; orgId: string; event: string; domainEventId: string }
  /** Start `notify/{id}`; an open one of that id is success. */
  | ({ kind: "startNotification" } & NotificationSubject)
  /** Signal `reread` to `notify/{id}`, starting it when it is not open. */
  | ({ kind: "retryNotification" } & NotificationSubject)
  /** Signal `reread` to `notify/{id}`, which then finds its row dead or gone and ends. */
  | { kind: "endNotification"; deliveryId: string };

/** A delivery, and what an operator finds it by. */
export type NotificationSubject = {
  orgId: string;
  deliveryId: string;
  event?: string;
  stackKey?: string | null;
  deploymentId?: string | null;
};
