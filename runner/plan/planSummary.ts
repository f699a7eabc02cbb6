import type { PlanSummary, RunKind } from "../../src/core/runs/protocol.ts";
import type { PlanDocument, ResourceChange } from "./planDocument.ts";
import { planGaps, unknownParts } from "./planGaps.ts";

type Counts = NonNullable<PlanSummary["counts"]>;
type Counted = keyof Counts;

/** Each list of actions an engine is known to plan, and what it counts as; `read` and `no-op` change nothing. */
export const COUNTED_AS: ReadonlyMap<string, readonly Counted[]> = new Map<string, readonly Counted[]>(
  Object.entries({
    "no-op": [],
    read: [],
    create: ["add"],
    update: ["change"],
    delete: ["destroy"],
    "delete,create": ["replace"],
    "create,delete": ["replace"],
    forget: ["forget"],
    "forget,create": ["forget", "add"],
    "create,forget": ["forget", "add"],
  } satisfies Record<string, readonly Counted[]>),
);

const NO_CHANGE = new Set(["no-op", "read"]);

/**
 * Measures a plan from its JSON alone, never from the log or the exit code. Counts are null, which is not zero, when
 * something is unknown or the engine put changes off; `gaps` says why, and what the counts say nothing about
 * (docs/rules/deployments.md#what-a-plan-says).
 */
export function summarizePlan(plan: PlanDocument, kind: RunKind): PlanSummary {
  const { changed, counts, unknown } = kind === "refresh_run" ? measureDrift(plan) : measureChanges(plan);
  const beyond = plan.action_invocations.length + plan.deferred_action_invocations.length + unknownParts(plan).length;
  const uncounted = unknown.length + plan.deferred_changes.length + unknownParts(plan).length;
  // What the engine would refuse to apply is no change, whatever it lists: nobody is to wait for it.
  const hasChanges = plan.applyable !== false && (changed || beyond > 0);
  const gaps = limited([...unknown, ...planGaps(plan)]);
  return { has_changes: hasChanges, counts: uncounted === 0 ? counts : null, gaps };
}

/** What to report when there is a plan file but no JSON to measure it by: there may be changes, and none is counted. */
export function unmeasuredPlan(gap: string): PlanSummary {
  return { has_changes: true, counts: null, gaps: [gap] };
}

/**
 * The same, with what a person should know before confirming. A plan without a word of warning says nothing of them.
 */
export function withWarnings(summary: PlanSummary, warnings: readonly string[]): PlanSummary {
  return warnings.length === 0 ? summary : { ...summary, warnings: limited([...warnings]) };
}

interface Measured {
  changed: boolean;
  counts: Counts;
  /** What could not be counted. */
  unknown: string[];
}

function measureChanges(plan: PlanDocument): Measured {
  const counts = noCounts();
  const unknown: string[] = [];
  for (const resource of plan.resource_changes) {
    const key = actionsOf(resource);
    const counted = COUNTED_AS.get(key);
    if (counted === undefined) unknown.push(`${resource.address}: unknown action ${key}`);
    for (const name of counted ?? []) counts[name] += 1;
    if (isImported(resource)) counts.import += 1;
    if (isMoved(resource)) counts.move += 1;
  }
  const touched = plan.resource_changes.some((resource) => isChange(resource));
  const changed = touched || outputChanges(plan).length > 0 || plan.deferred_changes.length > 0;
  return { changed, counts, unknown };
}

/**
 * A refresh-only plan changes the state, not the world: what differs is `resource_drift`. A resource that is gone drops
 * out of the state, so it counts as forgotten and never as destroyed.
 */
function measureDrift(plan: PlanDocument): Measured {
  const counts = noCounts();
  const unknown: string[] = [];
  for (const resource of plan.resource_drift) {
    const key = actionsOf(resource);
    if (key === "update" || key === "create") counts.change += 1;
    else if (key === "delete") counts.forget += 1;
    else if (!NO_CHANGE.has(key)) unknown.push(`${resource.address}: unknown drift ${key}`);
    if (isMoved(resource)) counts.move += 1;
  }
  const drifted = plan.resource_drift.some((resource) => isChange(resource));
  return { changed: drifted || outputChanges(plan).length > 0, counts, unknown };
}

/** Whether carrying the plan out would change this resource or its place in the state. */
export function isChange(resource: ResourceChange): boolean {
  return !NO_CHANGE.has(actionsOf(resource)) || isImported(resource) || isMoved(resource);
}

/** The names of the outputs that change. */
export function outputChanges(plan: PlanDocument): string[] {
  const changed = Object.entries(plan.output_changes).filter(([, { actions }]) => !NO_CHANGE.has(actions.join(",")));
  return changed.map(([name]) => name);
}

function actionsOf(resource: ResourceChange): string {
  return resource.change.actions.join(",");
}

export function isImported(resource: Pick<ResourceChange, "change">): boolean {
  return (resource.change.importing ?? null) !== null;
}

export function isMoved(resource: Partial<ResourceChange>): boolean {
  return resource.previous_address !== undefined && resource.previous_address !== resource.address;
}

function noCounts(): Counts {
  return { add: 0, change: 0, destroy: 0, replace: 0, import: 0, forget: 0, move: 0 };
}

/** A thousand unknown actions need no thousand lines. */
function limited(gaps: string[]): string[] {
  return gaps.length <= 20 ? gaps : [...gaps.slice(0, 20), `and ${gaps.length - 20} more`];
}
