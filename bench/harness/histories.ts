/** Reads workflow histories from the Temporal server of a bench. */
import { Client, Connection } from "@temporalio/client";
import protobuf from "@temporalio/proto";
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

/** Wait until the workflow has closed, then count. */
export async function countHistory(client: Client, workflowId: string): Promise<HistoryCount> {
  const handle = client.workflow.getHandle(workflowId);
  await handle.result();
  const { events } = await handle.fetchHistory();
  const types = protobuf.temporal.api.enums.v1.EventType;
  const names = (events ?? []).map((event) => String(types[event.eventType ?? 0]).replace("EVENT_TYPE_", ""));
  const workflowTasks = names.filter((name) => name === "WORKFLOW_TASK_COMPLETED").length;
  return { events: names.length, workflowTasks, names };
}
