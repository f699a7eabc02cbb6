/** What the workers have not taken yet, by the server's own figures. */
import type { Client } from "@temporalio/client";
import protobuf from "@temporalio/proto";

const { TaskQueueType } = protobuf.temporal.api.enums.v1;

/** How long the oldest workflow task of these queues has waited, in milliseconds; 0 for none. */
export async function backlogOf(client: Client, namespace: string, taskQueues: readonly string[]): Promise<number> {
  const ages = await Promise.all(
    taskQueues.map(async (name) => {
      const { stats } = await client.workflowService.describeTaskQueue({
        namespace,
        taskQueue: { name },
        taskQueueType: TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW,
        reportStats: true,
      });
      const age = stats?.approximateBacklogAge;
      return Number(age?.seconds ?? 0) * 1_000 + (age?.nanos ?? 0) / 1_000_000;
    }),
  );
  return Math.max(...ages);
}
