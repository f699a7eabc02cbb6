/** The thread's own end: inspects a policy, or evaluates one after the other on an input that it reads once. */
import { setPriority } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import type { PlanChange } from "../../runs/planChange.ts";
import type { Input } from "../input.ts";
import { judge } from "../judge.ts";
import { failed, type Said } from "../result.ts";
import { inspect } from "./inspect.ts";
import type { Evaluable, EvaluateJob, Job, Told } from "./jobs.ts";
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

/** The input in the forms that policies take, each made once. */
type Read = {
  parsed(): Input;
  /** With the runner's own bytes of each change, so that no digit becomes another. */
  text(): ArrayBuffer;
};

/** Null where the list cannot be read. */
function readInput(facts: EvaluateJob["facts"], bytes: Uint8Array): Read | null {
  try {
    const { changes, drift } = parted(bytes);
    const all = (lines: readonly string[]) => lines.map((line) => JSON.parse(line) as PlanChange);
    return {
      parsed: once(() => ({ ...facts, changes: all(changes), drift: all(drift) })),
      text: once(() => {
        const given = JSON.stringify(facts).slice(0, -1);
        const text = `${given},"changes":[${changes.join(",")}],"drift":[${drift.join(",")}]}`;
        return new TextEncoder().encode(text).buffer as ArrayBuffer;
      }),
    };
  } catch {
    return null;
  }
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** What a policy throws may hold anything, so it is not shown. */
async function said(policy: Evaluable, input: Read | null): Promise<Said> {
  if (input === null) return failed("The plan's list of changes cannot be read.");
  try {
    return "rules" in policy ? judge(policy.rules, input.parsed()) : await evaluateWasm(policy, input.text());
  } catch (error) {
    if (error instanceof RangeError) return failed("It needs more memory than a policy may have.");
    return failed("It ended with an error of its own.");
  }
}

function parted(bytes: Uint8Array): { changes: string[]; drift: string[] } {
  const lines = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    .toString("utf8")
    .split("\n")
    .filter((line) => line !== "");
  const { changes = [], drift = [] } = Object.groupBy(lines, (line) => (isDrift(line) ? "drift" : "changes"));
  return { changes, drift };
}

/** As runners write it the kind comes first, and the rest need not be read for it. */
function isDrift(line: string): boolean {
  const [, kind] = /^\{"kind":"([a-z]+)"/.exec(line) ?? [];
  return (kind ?? (JSON.parse(line) as PlanChange).kind) === "drift";
}
