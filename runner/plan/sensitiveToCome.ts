import { isObject } from "../output/sensitiveValues.ts";
import type { PlanDocument } from "./planDocument.ts";

/**
 * Whether the apply of a plan makes sensitive values that the plan does not know yet. Of an engine's blocks whose parts
 * are all unknown the plan has no marks; what nobody knows of a plan counts as yes.
 */
export function makesSensitive(plan: PlanDocument | null): boolean {
  if (plan === null || plan.deferred_action_invocations.length > 0) return true;
  const changes = [...plan.resource_changes.map(({ change }) => change), ...Object.values(plan.output_changes)];
  return (
    changes.some(({ after_unknown, after_sensitive }) => meet(after_unknown, after_sensitive)) ||
    plan.action_invocations.some(({ config_unknown, config_sensitive }) => meet(config_unknown, config_sensitive))
  );
}

/** Whether something is marked in both. Items of a set have no places to compare. */
function meet(unknown: unknown, marks: unknown): boolean {
  if (isObject(unknown) && isObject(marks)) {
    return Object.keys(unknown).some((key) => Object.hasOwn(marks, key) && meet(unknown[key], marks[key]));
  }
  return some(unknown) && some(marks);
}

function some(marks: unknown): boolean {
  if (typeof marks === "object" && marks !== null) return Object.values(marks).some(some);
  return marks === true;
}
