/**
 * What becomes of one dependent stack of an apply (docs/dependencies.md#what-an-apply-does). Pure: edges and the
 * apply in, the snapshot row out.
 */

import type { NamedRow } from "../../platform/db/sqlRow.ts";
import type { ChangedParts } from "../analysis/changedParts.ts";
import { resolveTrigger, type Trigger } from "../analysis/trigger.ts";
import type {
  DEMOTION_REASONS,
  DEPENDENT_SKIPPED_REASONS,
  dependentTriggers,
  EVIDENCE,
  TriggeringPair,
} from "./schema.ts";

type DemotionReason = (typeof DEMOTION_REASONS)[number];
type DependentSkippedReason = (typeof DEPENDENT_SKIPPED_REASONS)[number];
export type Evidence = (typeof EVIDENCE)[number];

/** An edge from a dependent to the applied stack. */
export type CascadeEdge = {
  /** The dependent's resource, or null for all of it. */
  dependentAddress: string | null;
  /** The applied stack's resource or `output.<name>`, or null for all of it. */
  dependencyAddress: string | null;
  trigger: Trigger;
  declared: boolean;
  inferred: boolean;
  /** Null: there are too many edges to tell. */
  onCycle: boolean | null;
  overBudget: boolean;
};

export type Applied = {
  stackKey: string;
  mode: "plan" | "destroy" | "refresh";
  changed: ChangedParts;
  /** Stacks the cascade came through before this one. */
  path: readonly string[];
};

export type DependentDecision = NamedRow<
  typeof dependentTriggers,
  "trigger" | "demotionReason" | "skippedReason" | "evidence" | "triggeringResources" | "triggeringRemainder"
>;

/**
 * Applies in a row that may follow from each other without anybody's doing. Longer chains are mistakes more often than
 * designs.
 */
export const MAX_CASCADE_DEPTH = 20;
const PAIRS_SHOWN = 3;

/**
 * Only edges whose part of the parent changed have a say; where none did, the dependent is not affected, and the
 * trigger is what all its edges say, for the person who wants to deploy it all the same. Who declares what it depends
 * on is affected by that alone: what states tell besides would offer a button for a change that it said nothing about.
 * @param edges at least one
 */
export function decideDependent(
  applied: Applied,
  dependentStackKey: string,
  edges: readonly CascadeEdge[],
): DependentDecision {
  const affecting = edges.filter((edge) => applied.changed.includes(edge.dependencyAddress));
  const declares = edges.some((edge) => edge.declared);
  const affected = affecting.some((edge) => edge.declared || !declares);
  const counted = affected ? affecting : edges;
  const said = resolveTrigger(counted) ?? "manual";
  const demotionReason = said === "always" ? demotion(applied, dependentStackKey, counted) : null;
  const trigger = demotionReason === null ? said : "manual";
  const pairs = affected ? triggeringPairs(affecting) : [];
  return {
    trigger,
    demotionReason,
    skippedReason: skipped(applied, trigger, demotionReason !== null, affected),
    evidence: evidenceOf(counted),
    triggeringResources: pairs.slice(0, PAIRS_SHOWN),
    triggeringRemainder: Math.max(pairs.length - PAIRS_SHOWN, 0),
  };
}

/** One whose plan lacks an output that this apply may bring: it was to be deployed already, and goes on. */
export function decideWaiting(applied: Applied, dependentStackKey: string): DependentDecision {
  const demotionReason = applied.path.includes(dependentStackKey) ? "in_cascade" : null;
  const trigger = demotionReason === null ? "always" : "manual";
  return {
    trigger,
    demotionReason,
    skippedReason: skipped(applied, trigger, demotionReason !== null, true),
    evidence: "declared",
    triggeringResources: [],
    triggeringRemainder: 0,
  };
}

/** Why what should follow by itself waits for a person. What is certain comes before what is only unknown. */
function demotion(applied: Applied, dependent: string, edges: readonly CascadeEdge[]): DemotionReason | null {
  if (edges.some((edge) => edge.onCycle === true)) return "on_cycle";
  // A cycle that was closed since the cascade began, or that reaches further back than the graph shows.
  if (applied.path.includes(dependent) || applied.stackKey === dependent) return "in_cascade";
  if (edges.some((edge) => edge.overBudget)) return "over_budget";
  if (edges.some((edge) => edge.onCycle === null)) return "cycle_unknown";
  return applied.mode === "refresh" ? "parent_refreshed" : null;
}

function skipped(
  applied: Applied,
  trigger: Trigger,
  demoted: boolean,
  affected: boolean,
): DependentSkippedReason | null {
  // What depended on it would only fail now, whatever the trigger.
  if (applied.mode === "destroy") return "parent_destroyed";
  if (!affected) return "not_affected";
  if (trigger === "never") return "never_trigger";
  if (trigger === "manual") return demoted ? null : "manual_trigger";
  return applied.path.length >= MAX_CASCADE_DEPTH ? "cascade_too_deep" : null;
}

/** Whether nothing but a person's button deploys the dependent now. */
export function waitsForPerson({
  trigger,
  skippedReason,
}: Pick<DependentDecision, "trigger" | "skippedReason">): boolean {
  return trigger === "manual" && (skippedReason === null || skippedReason === "manual_trigger");
}

function evidenceOf(edges: readonly Pick<CascadeEdge, "declared" | "inferred">[]): Evidence {
  const declared = edges.some((edge) => edge.declared);
  const inferred = edges.some((edge) => edge.inferred);
  return declared && inferred ? "both" : declared ? "declared" : "inferred";
}

/** One pair for its two ends, whatever number of edges says so: declared ones first, then by address. */
function triggeringPairs(edges: readonly CascadeEdge[]): TriggeringPair[] {
  const byEnds = Map.groupBy(edges, (edge) => JSON.stringify([edge.dependencyAddress, edge.dependentAddress]));
  const pairs = [...byEnds.values()].map((same) => ({
    parent: same[0]?.dependencyAddress ?? null,
    dependent: same[0]?.dependentAddress ?? null,
    provenance: evidenceOf(same),
  }));
  const order = ({ parent, dependent, provenance }: TriggeringPair) =>
    `${provenance === "inferred" ? 1 : 0} ${parent ?? ""}\0${dependent ?? ""}`;
  return pairs
    .map((pair) => ({ pair, key: order(pair) }))
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map(({ pair }) => pair);
}
