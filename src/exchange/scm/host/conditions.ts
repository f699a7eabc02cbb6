/** What reviews and checks say of a pull request. Pure; null is "cannot say yet". */
import { CONTEXT_PREFIX } from "../../../core/pullRequests/announcement.ts";

type Review = { state?: unknown; user?: { id?: unknown } | null };
type Status = { context?: unknown; state?: unknown };
type CheckRun = { status?: unknown; conclusion?: unknown };

/**
 * The last word of each reviewer counts; comments take nothing back. Approved: at least one approves and none asks for
 * changes.
 * @param reviews oldest first, as hosts list them
 */
export function verdictOfReviews(reviews: readonly unknown[]): boolean {
  const words = new Map<unknown, unknown>();
  for (const { state, user } of reviews as readonly Review[]) {
    if (state === "APPROVED" || state === "CHANGES_REQUESTED" || state === "DISMISSED") words.set(user?.id, state);
  }
  const states = [...words.values()];
  return states.includes("APPROVED") && !states.includes("CHANGES_REQUESTED");
}

const PASSED = new Set(["success", "neutral", "skipped"]);

/**
 * Of commit statuses and check runs together, our own statuses aside: a preview must not wait for itself. Nothing
 * reported is "cannot say": right after a push no check has begun yet.
 */
export function verdictOfChecks(statuses: readonly unknown[], runs: readonly unknown[]): boolean | null {
  const foreign = (statuses as readonly Status[]).filter(({ context }) => !String(context).startsWith(CONTEXT_PREFIX));
  const verdicts = [
    ...foreign.map(({ state }) => (state === "success" ? true : state === "pending" ? null : false)),
    ...(runs as readonly CheckRun[]).map(({ status, conclusion }) =>
      status === "completed" ? PASSED.has(String(conclusion)) : null,
    ),
  ];
  if (verdicts.includes(false)) return false;
  return verdicts.length === 0 || verdicts.includes(null) ? null : true;
}
