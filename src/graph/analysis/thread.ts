/**
 * The threads that compute for the dependency graph what would hold the event loop: at most one of each kind in a
 * process, started when first needed, never keeping the process alive. A thread has one job at a time, so that one
 * which ends the thread takes no other with it; jobs of another kind do not wait for it.
 */
import { Worker } from "node:worker_threads";
import { type Answer, type Job, type JobName, type Jobs, THREAD_OF } from "./threadJobs.ts";

/** An analysis of 64 MiB takes some 500 MiB to read; more than this ends the thread instead of the process. */
const MEMORY_MIB = 1_024;

type Thread = { worker: Worker | null; last: Promise<unknown> };

const threads = new Map<string, Thread>();

/** The job threw, or ended its thread. */
export class ThreadError extends Error {
  override name = "ThreadError";
}

/** Run a job in its thread, after those that came before. @throws ThreadError */
export function inThread<N extends JobName>(name: N, input: Parameters<Jobs[N]>[0]): Promise<ReturnType<Jobs[N]>> {
  const kind = THREAD_OF[name];
  const thread = threads.get(kind) ?? { worker: null, last: Promise.resolve() };
  threads.set(kind, thread);
  const result = thread.last.then(() => runJob(thread, { name, input }));
  thread.last = result.catch(() => {});
  return result as Promise<ReturnType<Jobs[N]>>;
}

function runJob(thread: Thread, job: Job): Promise<unknown> {
  const worker = thread.worker ?? started(thread);
  worker.ref();
  return new Promise((resolve, reject) => {
    const settled = () => {
      worker.off("message", answered).off("error", lost).off("exit", lost);
      worker.unref();
    };
    const answered = (answer: Answer) => {
      settled();
      if ("error" in answer) reject(new ThreadError(answer.error));
      else resolve(answer.result);
    };
    // Out of memory is such an error. The next job gets a thread of its own.
    const lost = (cause: Error | number) => {
      settled();
      reject(new ThreadError(cause instanceof Error ? cause.message : "the thread ended"));
    };
    worker.on("message", answered).on("error", lost).on("exit", lost);
    worker.postMessage(job);
  });
}

function started(thread: Thread): Worker {
  const worker = new Worker(new URL("./threadMain.ts", import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MIB },
  });
  const forget = () => {
    if (thread.worker === worker) thread.worker = null;
  };
  thread.worker = worker.on("error", forget).on("exit", forget);
  return worker;
}
