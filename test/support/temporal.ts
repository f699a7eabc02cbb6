/** A Temporal namespace of its own for each test file: made in some 10 ms, usable at once, so names never collide. */
import { randomBytes } from "node:crypto";
import { Client, Connection } from "@temporalio/client";
import protobuf from "@temporalio/proto";
import { DefaultLogger, NativeConnection, Runtime, Worker, type WorkerOptions } from "@temporalio/worker";
import { inject } from "vitest";
import { readDevSettings } from "../../src/main/dev/devSettings.ts";

export type TestTemporal = {
  address: string;
  namespace: string;
  client: Client;
  /** Run a worker on `taskQueue` with the bundled workflows; several may run at once. */
  startWorker(options: Omit<WorkerOptions, "connection" | "namespace">): Promise<TestWorker>;
  /** Stop the workers that still run and close the connections. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

export type TestWorker = {
  /** Stop polling, finish what runs, and wait for it. A no-op the second time. */
  stop(): Promise<void>;
};

/** Make a namespace with the product's search attributes. Call it in `beforeAll`, `close()` in `afterAll`. */
export async function freshNamespace(): Promise<TestTemporal> {
  const address = inject("temporalAddress");
  const namespace = `test-${randomBytes(6).toString("hex")}`;
  const connection = await Connection.connect({ address });
  await register(connection, namespace);
  await connection.close();
  return connectTo(address, namespace);
}

/** Use a namespace that is there, on a server of the test's own. */
export async function connectTo(address: string, namespace: string): Promise<TestTemporal> {
  quietRuntime();
  const connection = await Connection.connect({ address });
  const native = await NativeConnection.connect({ address });
  const workers: TestWorker[] = [];
  const close = async () => {
    await Promise.all(workers.map((worker) => worker.stop()));
    await Promise.all([native.close(), connection.close()]);
  };
  return {
    address,
    namespace,
    client: new Client({ connection, namespace }),
    async startWorker(options) {
      const bundle = { codePath: inject("workflowBundlePath") };
      const worker = await Worker.create({ workflowBundle: bundle, ...options, connection: native, namespace });
      const started = runWorker(worker);
      workers.push(started);
      return started;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function register(connection: Connection, namespace: string): Promise<void> {
  await connection.workflowService.registerNamespace({
    namespace,
    workflowExecutionRetentionPeriod: { seconds: 86_400 as never },
  });
  const { search_attributes } = await readDevSettings();
  const types = protobuf.temporal.api.enums.v1.IndexedValueType;
  const attributes = Object.entries(search_attributes).map(([name, type]) => {
    const words = type.replace(/(?<=[a-z])(?=[A-Z])/g, "_").toUpperCase();
    return [name, types[`INDEXED_VALUE_TYPE_${words}` as keyof typeof types]];
  });
  await connection.operatorService.addSearchAttributes({
    namespace,
    searchAttributes: Object.fromEntries(attributes),
  });
}

function runWorker(worker: Worker): TestWorker {
  const done = worker.run();
  // A failed worker shows at stop(); before that it must not end the process as an unhandled rejection.
  done.catch(() => {});
  return {
    async stop() {
      if (worker.getState() === "RUNNING") worker.shutdown();
      await done;
    },
  };
}

let quiet = false;

/** The runtime is one per process and must be installed before the first native connection. */
export function quietRuntime(): void {
  if (quiet) return;
  quiet = true;
  Runtime.install({ logger: new DefaultLogger("ERROR"), shutdownSignals: [] });
}
