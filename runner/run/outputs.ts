/**
 * The outputs that an apply left, or that a plan without changes found, for the stacks that are given them
 * (docs/outputs.md).
 */
import type { ReportedOutput } from "../../src/core/runs/outputs.ts";
import { textMasker } from "../output/masking.ts";
import { isObject } from "../output/sensitiveValues.ts";
import type { PlanDocument } from "../plan/planDocument.ts";
import { sensitiveFormsOfState } from "../plan/stateSensitive.ts";
import { Stopped } from "../process/stop.ts";
import { publicReason } from "../process/systemReasons.ts";
import { persist } from "../service/retry.ts";
import { ServiceRefused } from "../service/serviceClient.ts";
import { TRANSFER_WINDOW_MS } from "./artifacts.ts";
import type { RunResources } from "./workspace.ts";

/** Of all outputs of a stack together, as they are sent. */
const MOST_BYTES = 200_000;

/**
 * Sends them before the end is reported, so that what follows the apply finds them; null when they cannot be known,
 * and then none of an earlier apply counts. Never throws: what was applied is a fact.
 */
export async function storeOutputs(resources: RunResources, state: object | null): Promise<void> {
  if (state === null) leaveOut(resources, "the state cannot be read");
  await send(resources, state && outputsOf(state, resources.secretForms));
}

/**
 * Of a plan that had nothing to change: those of the state that it was made from. So a stack that was applied before
 * anybody asked for its outputs tells them. Never throws.
 */
export async function storePlannedOutputs(resources: RunResources, { prior_state }: PlanDocument): Promise<void> {
  const outputs = isObject(prior_state) ? outputsOf(prior_state, resources.secretForms) : [];
  if (outputs.length > 0) await send(resources, outputs);
}

function leaveOut({ steps }: RunResources, why: string): void {
  steps.log.note(`Left out: the outputs of this run: ${why}.`);
}

async function send(resources: RunResources, found: ReportedOutput[] | null): Promise<void> {
  const { store, steps } = resources;
  let outputs = found;
  if (Buffer.byteLength(JSON.stringify(outputs), "utf8") > MOST_BYTES) {
    leaveOut(resources, `they have more than ${MOST_BYTES} bytes together`);
    outputs = null;
  }
  try {
    const { signal } = steps.stop;
    await persist(() => store.putOutputs({ outputs }, signal), { windowMs: TRANSFER_WINDOW_MS, signal });
  } catch (error) {
    // A service that knows of no outputs.
    if (error instanceof ServiceRefused && error.status === 404) return;
    leaveOut(resources, error instanceof Stopped ? "the run was stopped before they were stored" : publicReason(error));
  }
}

/**
 * Those of the root module in the engine's JSON of the state. One that holds a secret of the run, or what the state
 * says is sensitive elsewhere, is sensitive whatever its own mark says.
 */
export function outputsOf(state: object, secretForms: readonly Buffer[]): ReportedOutput[] {
  const { values } = state as { values?: unknown };
  const outputs = isObject(values) && isObject(values.outputs) ? values.outputs : {};
  const mask = textMasker([...secretForms, ...sensitiveFormsOfState(state)]);
  return Object.entries(outputs).flatMap(([name, output]) => {
    if (!isObject(output)) return [];
    const value = JSON.stringify(output.value ?? null);
    const sensitive = output.sensitive === true || mask(value) !== value;
    return [{ name, type: JSON.stringify(output.type ?? "dynamic"), sensitive, value }];
  });
}
