/** The thread's own end: inspects a policy, or evaluates one after the other on an input that it reads once. */
import { setPriority } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import { judge } from "../judge.ts";
import { failed, type Said } from "../result.ts";
import { inspect } from "./inspect.ts";
import type { Evaluable, EvaluateJob, Job, Told } from "./jobs.ts";
import { type Read, readInput } from "./readInput.ts";
import { evaluateWasm } from "./wasm.ts";

// On Linux a priority is a thread's own: whoever waits for a decision comes before whoever waits for a policy.
if (process.platform === "linux") setPriority(19);

const port = parentPort;
if (port === null) throw new Error("runs as a worker thread only");
const tell = (told: Told) => port.postMessage(told);

const job = workerData as Job;
if ("inspect" in job) tell({ inspected: await inspect(job.inspect) });
else await evaluateEach(job);

async function evaluateEach({ facts, changes, policies }: EvaluateJob): Promise<void> {
  const input = readInput(facts, changes);
  for (const [at, policy] of policies.entries()) {
    tell({ begun: at });
    const began = performance.now();
    const answer = await said(policy, input);
    tell({ ended: at, said: answer, ms: Math.round(performance.now() - began) });
  }
}

/** What a policy throws may hold anything, so it is not shown. */
async function said(policy: Evaluable, input: Read | null): Promise<Said> {
  if ("unread" in policy) return failed(policy.unread);
  if (input === null) return failed("The plan's list of changes cannot be read.");
  try {
    return "rules" in policy ? judge(policy.rules, input.parsed()) : await evaluateWasm(policy, input.text());
  } catch (error) {
    if (error instanceof RangeError) return failed("It needs more memory than a policy may have.");
    return failed("It ended with an error of its own.");
  }
}
