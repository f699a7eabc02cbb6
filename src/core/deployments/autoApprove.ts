/** The stack's auto-approve policy on a plan with changes. Pure. */
import type { PlanSummary } from "../runs/protocol.ts";
import type { LaneDeployment, LaneStack } from "./lane.ts";
import { appliesByItself } from "./provenance.ts";

export type AutoApproval =
  /** The plan is applied at once; what the activity log says of it. */
  | { approved: true; details: { destroy: number; replace: number } | { blind: true } }
  /** A person decides: because the policy says so of every plan (null), or of this one. */
  | { approved: false; suppressed: "destructive" | "incomplete" | "not_on_branch" | "drift" | null };

/** A destroy waits for a person, unless its stack was given an end by one who could confirm it; a refresh always. */
export function mayGoByItself({ mode, origin_type }: Pick<LaneDeployment, "mode" | "origin_type">): boolean {
  return mode === "plan" || origin_type === "lifetime";
}

/**
 * Replace and forget count as destroy: something that is there now will not be managed any more. A plan with a gap was
 * not measured as a whole, so its counts alone do not show it to be harmless. What the branch does not have is applied
 * by people only, whatever it changes.
 */
export function autoApproval(
  mode: LaneStack["auto_approve_mode"],
  deployment: Pick<LaneDeployment, "provenance" | "origin_type" | "needs_person">,
  summary: PlanSummary | null,
): AutoApproval {
  // Whoever gave the stack its lifetime could confirm, and agreed to its end then.
  const policy = deployment.origin_type === "lifetime" ? "auto" : mode;
  if (policy === "manual") return { approved: false, suppressed: null };
  if (deployment.needs_person) return { approved: false, suppressed: "drift" };
  if (!appliesByItself(deployment)) return { approved: false, suppressed: "not_on_branch" };
  const counts = summary?.counts ?? null;
  if (policy === "non_destructive") {
    if (counts === null) return { approved: false, suppressed: "incomplete" };
    if (counts.destroy + counts.replace + counts.forget > 0) return { approved: false, suppressed: "destructive" };
    if (summary?.gaps.length) return { approved: false, suppressed: "incomplete" };
  }
  const details = counts ? { destroy: counts.destroy, replace: counts.replace } : ({ blind: true } as const);
  return { approved: true, details };
}
