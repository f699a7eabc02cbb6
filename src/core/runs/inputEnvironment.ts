/** The variables of a run with the outputs of other stacks among them: what a configuration declares goes first. */
import type { RunContext } from "./protocol.ts";

type Environment = RunContext["environment"];

export function withInputs(environment: Environment, inputs: Environment): Environment {
  const names = new Set(inputs.map(({ name }) => name));
  return [...environment.filter(({ name }) => !names.has(name)), ...inputs];
}
