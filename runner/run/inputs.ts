/**
 * Outputs of other stacks that the configuration asks for by `as=TF_VAR_...`. The comments are the commit's own, so
 * they are read once its files are there (docs/outputs.md). An apply has those of its plan from its context.
 */

import type { InputsAnswer, WantedInput } from "../../src/core/runs/outputs.ts";
import type { RunContext } from "../../src/core/runs/protocol.ts";
import { scanConfiguration } from "../analysis/configurationFiles.ts";
import { secretForms } from "../output/secretForms.ts";
import { usesLane } from "../place/place.ts";
import type { Steps } from "../process/steps.ts";
import { Stopped } from "../process/stop.ts";
import { RunFailed } from "../service/outcome.ts";
import { persist } from "../service/retry.ts";
import { TRANSFER_WINDOW_MS } from "./artifacts.ts";
import type { Findings } from "./findings.ts";
import type { InputSource } from "./outputCalls.ts";

type Resources = {
  context: RunContext;
  steps: Steps;
  findings: Findings;
  store: InputSource;
  /** Every form of every secret: those of inputs join it. */
  secretForms: Buffer[];
};

const WAITS = " The stack is planned again after the next apply that may bring them.";
/** Most that are named in an error. */
const NAMED = 10;

/** @throws RunFailed when one of them is missing: no engine runs with some of its inputs. Stopped */
export async function inputsOf(resources: Resources, cwd: string): Promise<RunContext["environment"]> {
  const { context, steps, findings } = resources;
  if (context.run.kind === "apply_run") return [];
  const inputs = await wantedInputs(context.stack, cwd);
  if (inputs.length === 0) return [];
  const { environment, missing, waits } = await ask(resources, inputs);
  if (missing.length > 0) throw new RunFailed(missingText(missing) + (waits ? WAITS : ""));
  const secrets = secretForms(environment.filter(({ secret }) => secret).map(({ value }) => value));
  // The log looks at the same list.
  resources.secretForms.push(...secrets);
  const sources = inputs.map((input) => `${input.variable} from output.${input.output} of ${input.from_stack}`);
  steps.log.note(`Inputs: ${sources.join(", ")}`);
  if (!usesLane(context.deployment)) {
    for (const source of sources) {
      findings.warnings.push(`${source} is the applied value: what a preview of that stack would change is not in it.`);
    }
  }
  return environment;
}

/** @throws RunFailed when a variable has two sources */
async function wantedInputs({ id, name, labels, tool }: RunContext["stack"], cwd: string): Promise<WantedInput[]> {
  const { scanner } = await scanConfiguration(cwd, tool, { id, name, labels });
  const wanted = new Map<string, WantedInput>();
  for (const { from_stack, from_resource, as } of scanner?.edges ?? []) {
    if (as === undefined || from_resource === null) continue;
    const input = { variable: as, from_stack, output: from_resource.slice("output.".length) };
    const other = wanted.get(as);
    if (other !== undefined && (other.from_stack !== from_stack || other.output !== input.output)) {
      throw new RunFailed(`${as} is declared from two outputs, of ${other.from_stack} and of ${from_stack}.`);
    }
    wanted.set(as, input);
  }
  return [...wanted.values()];
}

async function ask({ store, steps }: Resources, inputs: WantedInput[]): Promise<InputsAnswer> {
  const { signal } = steps.stop;
  try {
    return await persist(() => store.takeInputs({ inputs }, signal), { windowMs: TRANSFER_WINDOW_MS, signal });
  } catch (error) {
    if (error instanceof Stopped) throw error;
    throw new RunFailed(`The inputs of other stacks could not be had (${(error as Error).message}).`);
  }
}

function missingText(missing: readonly string[]): string {
  const more = missing.length > NAMED ? `; and ${missing.length - NAMED} more` : "";
  return `Nothing was run, since inputs are missing (inputs_missing): ${missing.slice(0, NAMED).join("; ")}${more}.`;
}
