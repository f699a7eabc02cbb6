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

export type PreviewSignal = "headMoved" | "requirementsChanged" | "deploymentChanged" | "closed";

export type OutboxMessage =
  /** Start `deployment/{id}`; an open one of that id is success. */
  | ({ kind: "startDeployment" } & WorkflowSubject)
  | { kind: "signalDeployment"; deploymentId: string; signal: DeploymentSignal }
  /** Signal `assigned` to `lease/{runId}`, starting it when it is not open. */
  | ({ kind: "assignLease"; runId: string } & WorkflowSubject)
  | { kind: "signalLease"; runId: string; signal: LeaseSignal }
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

/** A row as the relay and the writer see it. `id` is a bigint in text; `traceparent` is of what wrote it, null with tracing off. */
export type OutboxRow = { id: string; message: OutboxMessage; traceparent?: string | null };
