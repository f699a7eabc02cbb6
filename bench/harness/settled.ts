/** When everything that was set off has ended: no deployment is live, no message on its way, no workflow open. */
import type { Client } from "@temporalio/client";
import type postgres from "postgres";
import { until } from "./until.ts";

const OPEN = "ExecutionStatus = 'Running' and WorkflowType in ('deployment', 'runLease')";
/** The server's list is a moment behind the truth, so "none" must be seen this often in a row. */
const LOOKS = 2;
const EVERY_MS = 50;

/** @throws when something is still open after `ms`: what it is */
export async function untilAllClosed(client: Client, sql: postgres.Sql, ms: number): Promise<void> {
  let quiet = 0;
  const look = async () => {
    const [row] = await sql`
      select (select count(*)::int from outbox) + (select count(*)::int from deployments where completed_at is null) as left`;
    quiet = row?.left === 0 && (await client.workflow.count(OPEN)).count === 0 ? quiet + 1 : 0;
    return quiet >= LOOKS;
  };
  try {
    await until("every workflow to have closed", ms, look, EVERY_MS);
  } catch (error) {
    const messages = await sql`select * from outbox limit 20`;
    const live = await sql`select id, status from deployments where completed_at is null limit 20`;
    const runs = await sql`
      select id, deployment_id, status from runs where deployment_id in (select id from deployments where completed_at is null) limit 20`;
    const left = { workflows: await openWorkflows(client), messages, live, runs };
    throw new Error(`${String(error)}; left: ${JSON.stringify(left)}`);
  }
}

/** The ids of those that are open. */
export async function openWorkflows(client: Client): Promise<string[]> {
  const ids: string[] = [];
  for await (const { workflowId } of client.workflow.list({ query: OPEN })) ids.push(workflowId);
  return ids;
}
