/** No-op workflows with as many workflow tasks in all as deployments had: what Temporal alone makes of them. */
import type { Client } from "@temporalio/client";
import { v7 as uuidv7 } from "uuid";
import { TASK_QUEUE } from "../harness/baselineWorker.ts";
import { eachAtOnce } from "../harness/eachAtOnce.ts";

const SLEEP_MS = 3_600_000;

/** Run so many, and wait until the last one has closed. One whose share is no task sleeps until it is terminated. */
export async function noOps(client: Client, count: number, tasks: number, atOnce: number): Promise<void> {
  const handles: { result(): Promise<unknown> }[] = [];
  await eachAtOnce(shares(count, tasks), atOnce, async (steps) => {
    const options = { taskQueue: TASK_QUEUE, workflowId: `baseline/${uuidv7()}`, args: [steps] };
    if (steps > 0) return void handles.push(await client.workflow.start("steps", options));
    const asleep = await client.workflow.start("steps", { ...options, startDelay: SLEEP_MS });
    await asleep.terminate("it had nothing to do");
  });
  await eachAtOnce(handles, atOnce, async (handle) => void (await handle.result()));
}

/** Whole tasks of each, as even as they can be. Pure. */
export function shares(count: number, tasks: number): number[] {
  const upTo = (i: number) => Math.floor((i * tasks) / count);
  return Array.from({ length: count }, (_, i) => upTo(i + 1) - upTo(i));
}
