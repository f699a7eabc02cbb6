/** The worker program as a process of its own, to be killed. */
import { join } from "node:path";
import { type Child, startChild } from "../../src/main/dev/child.ts";
import { waitFor } from "./waitFor.ts";

const PROGRAM = join(import.meta.dirname, "../../src/main/worker.ts");

export type WorkerProcess = Child & { healthUrl: string };

/** Start it and wait until it polls for tasks. `env` holds its settings, with a free port in SVC_WORKER_LISTEN. */
export async function startWorkerProcess(env: Record<string, string>, logFile: string): Promise<WorkerProcess> {
  const child = await startChild(process.execPath, [PROGRAM], {
    env: { PATH: process.env.PATH ?? "", ...env },
    logFile,
    orphanSignal: "KILL",
  });
  const healthUrl = `http://${env.SVC_WORKER_LISTEN}`;
  await waitFor(async () => (await fetch(`${healthUrl}/readyz`)).status === 200, {
    what: "the worker to be ready",
    timeoutMs: 30_000,
    everyMs: 100,
  });
  return { ...child, healthUrl };
}
