import type { PlanDocument } from "./planDocument.ts";

/**
 * Every part of a JSON plan that an engine writes today: Terraform up to 1.15 and OpenTofu up to 1.12. Those that
 * change nothing by themselves are here too. A part that is not may hold changes that nobody reads.
 */
const KNOWN_PARTS = new Set([
  "format_version",
  "terraform_version",
  "variables",
  "planned_values",
  "resource_drift",
  "resource_changes",
  "deferred_changes",
  "deferred_action_invocations",
  "output_changes",
  "action_invocations",
  "prior_state",
  "configuration",
  "relevant_attributes",
  "checks",
  "timestamp",
  "applyable",
  "complete",
  "errored",
]);

/** Names of the parts that this runner cannot read. An empty one holds nothing. */
export function unknownParts(plan: PlanDocument): string[] {
  const holds = (part: unknown) =>
    typeof part === "object" && part !== null ? Object.keys(part).length > 0 : part !== null;
  return Object.keys(plan).filter((name) => !KNOWN_PARTS.has(name) && holds(plan[name]));
}

/** What a summary's counts say nothing about: actions that run programs, what was put off, and what is unknown. */
export function planGaps(plan: PlanDocument): string[] {
  const { action_invocations: actions, deferred_changes: changes, deferred_action_invocations: putOff } = plan;
  return [
    ...actions.map(({ address }) => `${address}: an action will be invoked, and what it does is not known`),
    ...(changes.length > 0 ? [`${changes.length} changes were deferred by the engine`] : []),
    ...(putOff.length > 0 ? [`${putOff.length} actions were deferred by the engine`] : []),
    ...unknownParts(plan).map((name) => `the plan has a part that this runner does not know: ${name}`),
  ];
}
