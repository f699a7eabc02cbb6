/** The baseline's worker, a process of its own as the product's is: `worker.ts ADDRESS NAMESPACE TASK_QUEUE`. */
import { fileURLToPath } from "node:url";
import { DefaultLogger, NativeConnection, Runtime, Worker } from "@temporalio/worker";

const [address, namespace, taskQueue] = process.argv.slice(2) as [string, string, string];
Runtime.install({ logger: new DefaultLogger("WARN") });
const connection = await NativeConnection.connect({ address });
const worker = await Worker.create({
  connection,
  namespace,
  taskQueue,
  workflowsPath: fileURLToPath(new URL("./workflow.ts", import.meta.url)),
  activities: { nothing: async () => {} },
  maxCachedWorkflows: 500,
});
await worker.run();
