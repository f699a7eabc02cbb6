/** Workflow tasks that failed: a history that the code of its worker could not go on with. */
import type { Client } from "@temporalio/client";
import protobuf from "@temporalio/proto";

const FAILED = protobuf.temporal.api.enums.v1.EventType.EVENT_TYPE_WORKFLOW_TASK_FAILED;

/** Of workflows that were started since then, by workflow, with what the worker said. */
export async function failedTasks(client: Client, since: Date): Promise<string[]> {
  const query = `StartTime >= '${since.toISOString()}'`;
  const found: string[] = [];
  for await (const { workflowId, runId } of client.workflow.list({ query })) {
    const { events } = await client.workflow.getHandle(workflowId, runId).fetchHistory();
    for (const { eventType, workflowTaskFailedEventAttributes: why } of events ?? []) {
      if (eventType === FAILED) found.push(`${workflowId}: ${why?.failure?.message ?? why?.cause}`);
    }
  }
  return found;
}
