/**
 * The threads that compute for the dependency graph what would hold the event loop: at most one of each kind in a process,
 * started when first needed, never keeping the process alive. Jobs of a kind wait for each other; nothing else does.
 */
import { Worker } from "node:worker_threads";
import { type Answer, type Job, type JobName, type Jobs, THREAD_OF } from "./threadJobs.ts";

/** An analysis of 64 MiB takes some 500 MiB to read; more than this ends the thread instead of the process. */
const MEMORY_MIB = 1_024;

type Waiting = { resolve(result: unknown): void; reject(error: Error): void };
type Thread = { worker: Worker; waiting: Map<number, Waiting> };

const threads = new Map<string, Thread>();
let asked = 0;

/** The job failed, or ended its thread with all jobs that waited there. */
export class ThreadError extends Error {
  override name = "ThreadError";
}

/**
 * Run a job in its thread.
 * @param transfer buffers of the input that are given away instead of copied
 * @throws ThreadError
 */
export function inThread<N extends JobName>(
  name: N,
  input: Parameters<Jobs[N]>[0],
  transfer: ArrayBuffer[] = [],
): Promise<ReturnType<Jobs[N]>> {
  const kind = THREAD_OF[name];
  const { worker, waiting } = threads.get(kind) ?? started(kind);
  const id = asked++;
  const result = new Promise<unknown>((resolve, reject) => waiting.set(id, { resolve, reject }));
  worker.ref();
  worker.postMessage({ id, name, input } satisfies Job, transfer);
  return result as Promise<ReturnType<Jobs[N]>>;
}

function started(kind: string): Thread {
  const worker = new Worker(new URL("./threadMain.ts", import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MIB },
  });
  const waiting = new Map<number, Waiting>();
  const lost = (message: string) => {
    if (threads.get(kind)?.worker === worker) threads.delete(kind);
    for (const job of waiting.values()) job.reject(new ThreadError(message));
    waiting.clear();
  };
  worker.unref();
  worker.on("message", (answer: Answer) => {
    const job = waiting.get(answer.id);
    waiting.delete(answer.id);
    if (waiting.size === 0) worker.unref();
    if ("error" in answer) job?.reject(new ThreadError(answer.error));
    else job?.resolve(answer.result);
  });
  // Out of memory is such an error. The next job gets a thread of its own.
  worker.on("error", (error) => lost(error.message));
  worker.on("exit", () => lost("the thread ended"));
  threads.set(kind, { worker, waiting });
  return { worker, waiting };
}
