/** What an operator finds in Temporal, to look for what must not be there. */
import { Client, Connection } from "@temporalio/client";

/** Every workflow's id and history as text, its payloads in base64. */
export async function workflowHistories(address: string, namespace: string): Promise<string> {
  const connection = await Connection.connect({ address });
  const client = new Client({ connection, namespace });
  const parts: string[] = [];
  for await (const { workflowId, runId } of client.workflow.list()) {
    const history = await client.workflow.getHandle(workflowId, runId).fetchHistory();
    parts.push(workflowId, JSON.stringify(history));
  }
  await connection.close();
  return parts.join("\n");
}
