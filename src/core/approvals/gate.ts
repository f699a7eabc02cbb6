/**
 * Whether the approvals of a plan are there. Pure: who counts is found out by the statement that locks the deployment,
 * and by the one that reads it (docs/approvals.md#what-counts).
 */
import type { ClosedGate } from "../gates/gate.ts";
import type { PlanSummary } from "../runs/protocol.ts";

export type Reviewer = { kind: string; id: string };

/** What is asked for, as the database gives it. */
export type AskedApproval = {
  source: "rule" | "policy";
  id: string;
  name: string;
  reason: string | null;
  count: number;
  /** Only of plans that destroy something. */
  destructive: boolean;
  deadline_ms: number | null;
  remind_ms: number | null;
  /** Whose approvals count, in words; empty: whoever may review. */
  from: string[];
  /** Whose approval counts now. */
  given: Reviewer[];
};

export type Approvals = {
  required: AskedApproval[];
  rejections: Reviewer[];
  /** Whose change it is: their approval counts for nothing. */
  makers: Reviewer[];
};

/** What keeps a plan from being applied. */
export type MissingApprovals = { missing: AskedApproval[]; rejections: Reviewer[] };

/** Null when nothing is missing and nobody rejects. Nothing is asked of a plan that is not looked at. */
export function missingApprovals(
  approvals: Approvals | null | undefined,
  mode: string,
  summary: PlanSummary | null,
): MissingApprovals | null {
  if (!approvals) return null;
  const missing = approvals.required.filter(
    ({ count, given, destructive }) => given.length < count && (!destructive || isDestructive(mode, summary)),
  );
  const { rejections } = approvals;
  return missing.length + rejections.length > 0 ? { missing, rejections } : null;
}

/** A plan that could not be measured as a whole may destroy something. As `is_destructive` in SQL. */
export function isDestructive(mode: string, summary: PlanSummary | null): boolean {
  // A number that is not there is not known to be none: rows of earlier versions have fewer.
  if (mode === "destroy" || summary?.counts == null || summary.gaps?.length !== 0) return true;
  const { destroy, replace, forget } = summary.counts;
  return !(destroy + replace + forget <= 0);
}

export function isMaker({ makers }: Pick<Approvals, "makers">, reviewer: Reviewer): boolean {
  return makers.some(({ kind, id }) => kind === reviewer.kind && id === reviewer.id);
}

/** As a gate between the plan and its apply. */
export function approvalsGate(missing: MissingApprovals, planRunId: string): ClosedGate {
  return { gate: "approvals", plan_run_id: planRunId, code: "approvals_missing", detail: missingText(missing) };
}

/** "It needs 1 more approval by role security (rule production, 1 of 2 given)." */
export function missingText({ missing, rejections }: MissingApprovals): string {
  const sentences = missing.map(({ source, name, reason, count, given, from }) => {
    const more = count - given.length;
    const by = from.length === 0 ? "somebody who may review the stack" : from.join(" or ");
    const why = reason === null ? "" : `: ${reason}`;
    return `It needs ${more} more ${more === 1 ? "approval" : "approvals"} by ${by} (${source} ${name}, ${given.length} of ${count} given${why}).`;
  });
  const { length } = rejections;
  if (length > 0)
    sentences.push(
      `${length === 1 ? "A reviewer rejects" : `${length} reviewers reject`} this plan: until they approve it, it has to be planned again or skipped.`,
    );
  return sentences.join(" ");
}
