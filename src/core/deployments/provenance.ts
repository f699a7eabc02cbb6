/**
 * Where a deployment's code stands to its stack's branch (docs/rules/deployments.md#where-the-code-stands). Decided by
 * the code host or by git, never by who asks for the deployment: an address serves the commits of every fork as well.
 */
import { sql } from "drizzle-orm";

export const PROVENANCES = [
  /** In the history of the stack's branch. */
  "branch",
  /** Head of a pull request from a branch of the same repository, and of one from a fork. */
  "pull_request",
  "fork",
  /** What the stack runs already, since a person has promoted the head of a pull request: a check or an end of that. */
  "promoted",
  /** Files that were uploaded. */
  "local",
  /** Neither; whoever asked for it knows. */
  "foreign",
  /** No host can be asked: the runner looks, before it runs anything of it. */
  "unknown",
] as const;
export type Provenance = (typeof PROVENANCES)[number];

/** Whether a policy may apply it: what is on the branch, and the reviewed head that a person has promoted. */
export function appliesByItself({ provenance, origin_type }: { provenance: Provenance; origin_type: string }) {
  return provenance === "branch" || provenance === "promoted" || origin_type === "promoted_pull_request";
}

/**
 * The same for SQL over `deployments d` and its `pull_requests q`: code that nobody with a right to the repository is
 * known to have put there. A promotion is a person's word for one commit; a preview is its request's, while that is
 * known.
 */
export const IS_FOREIGN = sql`(d.provenance = 'foreign'
  or d.provenance = 'fork' and d.origin_type <> 'promoted_pull_request'
  or d.origin_type = 'pull_request' and coalesce(q.is_fork, true))`;

/** Of a deployment `d` that was applied: what a later one of its commit is, which nobody asks for. */
export const APPLIED_PROVENANCE = sql`case when d.origin_type = 'promoted_pull_request' then 'promoted' else d.provenance end`;
