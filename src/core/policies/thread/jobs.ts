/** What goes to the thread that evaluates policies, and what comes back. */
import type { InputFacts } from "../input.ts";
import type { Said } from "../result.ts";
import type { Rules } from "../rules.ts";
import type { Inspected } from "./inspect.ts";

/** A policy as the thread needs it, or why the thread does not get it. */
export type Evaluable = { rules: Rules } | { wasm: Uint8Array; entrypoint: string } | { unread: string };

export type EvaluateJob = {
  facts: InputFacts;
  /** Lines of JSON, as the run stored its changes. */
  changes: Uint8Array;
  policies: readonly Evaluable[];
};

export type Job = EvaluateJob | { inspect: Uint8Array };

/** In the order of the job's policies. `begun` is told before each, so that its time is known from outside. */
export type Told = { begun: number } | { ended: number; said: Said; ms: number } | { inspected: Inspected };
