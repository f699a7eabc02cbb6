/** The worker of the workflows that others are measured against, a process of its own as the product's worker is. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startChild } from "../../src/main/dev/child.ts";
import type { BenchContext } from "./bench.ts";
import type { Product } from "./product.ts";

export const TASK_QUEUE = "bench-baseline";

/** It is stopped with the bench. */
export async function startBaselineWorker({ folder, closers }: BenchContext, product: Product): Promise<void> {
  const file = fileURLToPath(new URL("../baseline/worker.ts", import.meta.url));
  const args = [file, product.temporalAddress, product.namespace, TASK_QUEUE];
  const options = { logFile: join(folder, "baseline.log"), orphanSignal: "KILL" as const };
  const child = await startChild(process.execPath, args, options);
  closers.add(() => child.stop("SIGTERM", 15_000));
}
