import { formsOf } from "../output/engineForms.ts";
import { collectSensitive, isObject } from "../output/sensitiveValues.ts";
import { markedValuesOf } from "./stateResources.ts";

/** The forms of the texts that a state marks sensitive; `state` is the engine's JSON of it (`show -json`). */
export function sensitiveFormsOfState(state: object): Buffer[] {
  const texts = new Set<string>();
  const { values } = state as { values?: unknown };
  for (const { values: attributes, marks } of markedValuesOf(values)) collectSensitive(attributes, marks, texts);
  const outputs = isObject(values) && isObject(values.outputs) ? values.outputs : {};
  for (const output of Object.values(outputs)) {
    if (isObject(output)) collectSensitive(output.value, output.sensitive, texts);
  }
  return formsOf(texts);
}
