/** The port to Temporal: few verbs, ids and enums only, and two outcomes besides success. */
import type { Client, WorkflowClientInterceptor, WorkflowExecutionInfo } from "@temporalio/client";
import { WorkflowExecutionAlreadyStartedError } from "@temporalio/common";
import { STATE_QUERY } from "../../../workflows/contract.ts";
import { backlogOf } from "./backlog.ts";
import { openClient, type TemporalSettings } from "./connection.ts";
import { sleeps, translated, unavailable } from "./errors.ts";
import { startOptions, type WorkflowStart } from "./starts.ts";

export type OpenWorkflow = { workflowId: string; runId: string; type: string };

export type Temporal = {
  /** Start it; `open` when one of that id is open already, or has ended and this one is to be the only one. */
  start(workflow: WorkflowStart): Promise<"started" | "open">;
  /** `missing` when no workflow of that id is open. */
  signal(workflowId: string, signal: string): Promise<"delivered" | "missing">;
  signalWithStart(workflow: WorkflowStart, signal: string): Promise<void>;
  /**
   * Send an Update that only wakes, and wait until a worker has taken it. `missing` when no workflow of that id is
   * open.
   */
  wake(workflowId: string, update: string): Promise<"delivered" | "missing">;
  /** Send an Update and wait for its end. The same `updateId` again joins the first. */
  update(call: UpdateCall): Promise<"answered" | "missing">;
  /**
   * What the workflow last read of its row; null when no such workflow is known, or it sleeps and has read nothing yet.
   */
  state(workflowId: string): Promise<unknown>;
  /** The newest execution of that id; null when none is known. */
  describe(workflowId: string): Promise<(OpenWorkflow & { open: boolean }) | null>;
  /** End one execution by force, the open one when `runId` is absent; `missing` when it has ended already. */
  terminate(workflow: { workflowId: string; runId?: string }, reason: string): Promise<"delivered" | "missing">;
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
          await workflow.start(start.type, { ...startOptions(start), workflowIdConflictPolicy: "FAIL" });
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
        await workflow.signalWithStart(start.type, { ...startOptions(start), signal });
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
        async () => {
          await workflow.getHandle(workflowId, runId).terminate(reason);
          return "delivered" as const;
        },
        () => "missing" as const,
      ),
    listOpen: (types) => open(workflow, types),
    backlogMs: (taskQueues) =>
      call(
        () => backlogOf(client, settings.namespace, taskQueues),
        () => 0,
      ),
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
