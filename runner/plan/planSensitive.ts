import { formsOf } from "../output/engineForms.ts";
import { collectSensitive, isObject } from "../output/sensitiveValues.ts";
import type { Change, PlanDocument } from "./planDocument.ts";
import { markedValuesOf } from "./stateResources.ts";

type Sides = Pick<Change, "before" | "before_sensitive" | "after" | "after_sensitive">;

/**
 * The forms in which what a plan marks sensitive may show up in a text. An engine forgets the mark when a provider
 * copies the value into a computed attribute, so what is sensitive in one place must be hidden in all of them.
 */
export function sensitiveForms(plan: PlanDocument): Buffer[] {
  const texts = new Set<string>();
  const visit = (change: Sides) => {
    collectSensitive(change.before, change.before_sensitive, texts);
    collectSensitive(change.after, change.after_sensitive, texts);
  };
  for (const entry of [...plan.resource_changes, ...plan.resource_drift]) visit(entry.change);
  for (const change of Object.values(plan.output_changes)) visit(change);
  for (const { change } of plan.deferred_changes.map(putOff)) visit(isObject(change) ? change : {});
  const actions = [...plan.action_invocations, ...plan.deferred_action_invocations.map(putOffAction)];
  for (const { config_values, config_sensitive } of actions) collectSensitive(config_values, config_sensitive, texts);
  // Data sources are in no change; variables may reach a provider without being anybody's attribute.
  const prior = isObject(plan.prior_state) ? plan.prior_state.values : null;
  for (const { values, marks } of markedValuesOf(prior)) collectSensitive(values, marks, texts);
  for (const value of sensitiveVariables(plan)) collectSensitive(value, true, texts);
  return formsOf(texts);
}

/** The change that an entry of `deferred_changes` holds. */
function putOff(entry: unknown): Record<string, unknown> {
  return isObject(entry) && isObject(entry.resource_change) ? entry.resource_change : {};
}

function putOffAction(entry: unknown): Record<string, unknown> {
  return isObject(entry) && isObject(entry.action_invocation) ? entry.action_invocation : {};
}

/** Values of the root module's variables that are declared sensitive. */
function sensitiveVariables({ configuration, variables }: PlanDocument): unknown[] {
  const root = isObject(configuration) ? configuration.root_module : null;
  const declared = isObject(root) && isObject(root.variables) ? root.variables : {};
  const given = isObject(variables) ? Object.entries(variables) : [];
  return given.flatMap(([name, variable]) => {
    const declaration = Object.hasOwn(declared, name) ? declared[name] : null;
    const sensitive = isObject(declaration) && declaration.sensitive === true;
    return sensitive && isObject(variable) ? [variable.value] : [];
  });
}
