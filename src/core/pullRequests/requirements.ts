/**
 * What a stack wants of a pull request before it is planned by itself, or promoted
 * (docs/rules/pull-requests.md#conditions). Pure.
 */

import type { SqlRow } from "../../platform/db/sqlRow.ts";
import type { PrCondition } from "../stacks/schema.ts";
import type { pullRequests } from "./schema.ts";

/** What the host said of the request; null when it cannot say. */
export type Conditions = SqlRow<typeof pullRequests, "approved" | "mergeable" | "checks_passed">;

/** Why they do not hold, for people. */
export type Reasons = SqlRow<typeof pullRequests, "approved_reason" | "checks_reason">;

/** `refused` needs a clear no: a host that is still computing neither makes a preview nor takes one back. */
export function verdict(
  required: readonly PrCondition[] | undefined,
  facts: Conditions,
): "met" | "unknown" | "refused" {
  const answers = (required ?? []).map((condition) => facts[condition]);
  if (answers.includes(false)) return "refused";
  return answers.includes(null) ? "unknown" : "met";
}

/** The required conditions that do not hold for certain. */
export function unmet(required: readonly PrCondition[] | undefined, facts: Conditions): PrCondition[] {
  return (required ?? []).filter((condition) => facts[condition] !== true);
}

/** What is known of why a condition does not hold. */
export function reasonOf(condition: PrCondition, { approved_reason, checks_reason }: Reasons): string | null {
  switch (condition) {
    case "approved":
      return approved_reason;
    case "checks_passed":
      return checks_reason;
    case "mergeable":
      return null;
  }
}
