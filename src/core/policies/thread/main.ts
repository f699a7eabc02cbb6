/** The thread's own end: inspects a policy, or evaluates one after the other on an input that it reads once. */
import { parentPort, workerData } from "node:worker_threads";
import type { PlanChange } from "../../runs/planChange.ts";
import type { Input } from "../input.ts";
import { judge } from "../judge.ts";
import { failed, type Said } from "../result.ts";
import { inspect } from "./inspect.ts";
import type { Evaluable, EvaluateJob, Job, Told } from "./jobs.ts";
import { evaluateWasm } from "./wasm.ts";

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

/** Null where the list cannot be read. */
function readInput(facts: EvaluateJob["facts"], changes: Uint8Array): Input | null {
  try {
    return { ...facts, ...parted(changes) };
  } catch {
    return null;
  }
}

/** What a policy throws may hold anything, so it is not shown. */
async function said(policy: Evaluable, input: Input | null): Promise<Said> {
  if (input === null) return failed("The plan's list of changes cannot be read.");
  try {
    return "rules" in policy ? judge(policy.rules, input) : await evaluateWasm(policy, input);
  } catch (error) {
    if (error instanceof RangeError) return failed("It needs more memory than a policy may have.");
    return failed("It ended with an error of its own.");
  }
}

function parted(changes: Uint8Array): Pick<Input, "changes" | "drift"> {
  const all = Buffer.from(changes.buffer, changes.byteOffset, changes.byteLength)
    .toString("utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as PlanChange);
  return { changes: all.filter(({ kind }) => kind !== "drift"), drift: all.filter(({ kind }) => kind === "drift") };
}
