/**
 * Evaluates policies beside the event loop: in a thread with limits of memory and time, which ends with its work. A
 * policy that takes too long or too much ends the thread; those after it get another one.
 */
import { Worker } from "node:worker_threads";
import { failed, type Said } from "../result.ts";
import type { Inspected } from "./inspect.ts";
import type { EvaluateJob, Job, Told } from "./jobs.ts";
import { Rotation } from "./rotation.ts";

export type Limits = {
  /** Of one policy. */
  policyMs: number;
  /** Of all of them together. */
  totalMs: number;
};

const LIMITS: Limits = { policyMs: 5_000, totalMs: 60_000 };

/** Of the heap; what compiled policies may have besides is in `compiled.ts`. */
const MEMORY_MIB = 512;
/** Reading the input and starting a thread on a busy machine. */
const START_MS = 10_000;

const TOO_LONG = "It took longer than a policy may.";
const TOO_MUCH = "It needs more memory than a policy may have.";
const ENDED = "It ended the thread that evaluated it.";

export type Evaluated = { said: Said; ms: number };

/** Threads of this process at once: each may use much memory. */
const rotation = new Rotation(2);
/** Uploads are looked at one after the other. */
const UPLOADS = "uploads";

/** What each policy says, in their order. Never rejects: what cannot be evaluated says so. */
export function evaluate(job: EvaluateJob, limits: Limits = LIMITS): Promise<Evaluated[]> {
  return rotation.run(job.facts.org.id, async () => {
    const ends = performance.now() + limits.totalMs;
    const results: Evaluated[] = [];
    while (results.length < job.policies.length) {
      const left = ends - performance.now();
      if (left <= 0) results.push({ said: failed("The policies before it took all the time there is."), ms: 0 });
      else
        results.push(...(await evaluateSome({ ...job, policies: job.policies.slice(results.length) }, limits, left)));
    }
    return results;
  });
}

/** What a compiled policy asks of its surroundings. */
export function inspectPolicy(wasm: Uint8Array): Promise<Inspected> {
  return rotation.run(
    UPLOADS,
    () =>
      new Promise((resolve) => {
        const thread = startThread({ inspect: wasm }, (told) => {
          if ("inspected" in told) thread.end(() => resolve(told.inspected));
        });
        thread.within(START_MS, TOO_LONG);
        thread.lost = () => resolve({ problem: "cannot be loaded within the limits of a policy" });
      }),
  );
}

/** At least one: the thread ends with the first that it cannot bear. */
function evaluateSome(job: EvaluateJob, { policyMs }: Limits, leftMs: number): Promise<Evaluated[]> {
  return new Promise((resolve) => {
    const results: Evaluated[] = [];
    const within = (ms: number) => thread.within(Math.min(ms, leftMs), TOO_LONG);
    const thread = startThread(job, (told) => {
      // What comes before the first is the thread's start, and reading the input.
      if ("begun" in told) within(policyMs);
      if (!("ended" in told)) return;
      results.push({ said: told.said, ms: told.ms });
      if (results.length === job.policies.length) thread.end(() => resolve(results));
    });
    within(START_MS);
    thread.lost = (problem) => resolve([...results, { said: failed(problem), ms: 0 }]);
  });
}

type Thread = {
  /** End it unless the next message comes within so many milliseconds. */
  within(ms: number, problem: string): void;
  end(then: () => void): void;
  lost: (problem: string) => void;
};

function startThread(job: Job, hear: (told: Told) => void): Thread {
  const worker = new Worker(new URL("./main.ts", import.meta.url), {
    workerData: job,
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MIB, maxYoungGenerationSizeMb: 64 },
    // What a policy prints is nobody's.
    stdout: true,
    stderr: true,
    env: {},
  });
  let limit: NodeJS.Timeout | undefined;
  let over = false;
  function end(then: () => void): void {
    if (over) return;
    over = true;
    clearTimeout(limit);
    void worker.terminate().then(then);
  }
  const thread: Thread = {
    within(ms, problem) {
      clearTimeout(limit);
      limit = setTimeout(() => end(() => thread.lost(problem)), ms);
    },
    end,
    lost: () => {},
  };
  worker.on("message", hear);
  worker.on("error", (error: NodeJS.ErrnoException) =>
    end(() => thread.lost(error.code === "ERR_WORKER_OUT_OF_MEMORY" ? TOO_MUCH : ENDED)),
  );
  worker.on("exit", () => end(() => thread.lost(ENDED)));
  return thread;
}
