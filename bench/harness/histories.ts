/** Reads workflow histories from the Temporal server of a bench. */
import { Client, Connection, WorkflowFailedError } from "@temporalio/client";
import { TerminatedFailure } from "@temporalio/common";
import protobuf from "@temporalio/proto";
import { ENDED_ASLEEP } from "../../src/orchestration/relay/send.ts";
import type { BenchContext } from "./bench.ts";
import type { Product } from "./product.ts";

export type HistoryCount = {
  events: number;
  workflowTasks: number;
  /** Names of the events in order. */
  names: string[];
};

export async function openTemporalClient(
  { closers }: BenchContext,
  { temporalAddress, namespace }: Pick<Product, "temporalAddress" | "namespace">,
): Promise<Client> {
  const connection = await Connection.connect({ address: temporalAddress });
  closers.add(() => connection.close());
  return new Client({ connection, namespace });
}

/**
 * Wait until the workflow has closed. One that slept until its row was over is terminated by the service, which says so
 * in the reason: that is an end like any other.
 * @throws when it ended in another way than its own or that one
 */
async function untilClosed(client: Client, workflowId: string): Promise<void> {
  try {
    await client.workflow.getHandle(workflowId).result();
  } catch (error) {
    const cause = error instanceof WorkflowFailedError ? error.cause : undefined;
    if (!(cause instanceof TerminatedFailure) || !cause.message.startsWith(ENDED_ASLEEP)) throw error;
  }
}

/** Wait until the workflow has closed, then count. */
export async function countHistory(client: Client, workflowId: string): Promise<HistoryCount> {
  await untilClosed(client, workflowId);
  const { events } = await client.workflow.getHandle(workflowId).fetchHistory();
  const types = protobuf.temporal.api.enums.v1.EventType;
  const names = (events ?? []).map((event) => String(types[event.eventType ?? 0]).replace("EVENT_TYPE_", ""));
  const workflowTasks = names.filter((name) => name === "WORKFLOW_TASK_COMPLETED").length;
  return { events: names.length, workflowTasks, names };
}
