/** What the results of all policies come to for a plan, and the sentences that say so. Pure. */
import type { NewGate } from "../gates/gate.ts";
import type { PolicyResult } from "./result.ts";
import type { Approval } from "./rules.ts";
import type { Outcome } from "./schema.ts";

export type Verdict = {
  outcome: Outcome;
  /** Of policies that have to be met, with the policy's name. */
  approvals: (Approval & { name: string })[];
  /** When the answer may become another by itself. */
  until: Date | null;
};

/** As many reasons as a sentence to people has. */
const REASONS = 10;
const LONGEST_DETAIL = 3_000;

export function verdictOf(results: readonly PolicyResult[]): Verdict {
  const counting = results.filter(({ exemption, enforcement }) => exemption === null && enforcement !== "shadow");
  const mandatory = counting.filter(({ enforcement }) => enforcement === "mandatory");
  const denied = mandatory.some(isRefusal);
  const warned = counting.some((result) => isRefusal(result) || result.warn.length > 0);
  return {
    outcome: denied ? "denied" : warned ? "warned" : "passed",
    approvals: mandatory.flatMap(({ name, approvals }) => approvals.map((approval) => ({ ...approval, name }))),
    until: earliest(results),
  };
}

/** A policy that cannot be evaluated has not been met. */
function isRefusal({ deny, error }: Pick<PolicyResult, "deny" | "error">): boolean {
  return deny.length > 0 || error !== null;
}

/** An exemption's end is such an hour too. */
function earliest(results: readonly PolicyResult[]): Date | null {
  const times = results
    .filter(({ enforcement }) => enforcement === "mandatory")
    .flatMap(({ until, exemption }) => [until, exemption?.ends_at ?? null])
    .filter((time) => time !== null)
    .map((time) => Date.parse(time));
  return times.length === 0 ? null : new Date(Math.min(...times));
}

/** The policies that deny, by name. */
export function denying(results: readonly PolicyResult[]): PolicyResult[] {
  return results.filter(
    (result) => result.enforcement === "mandatory" && result.exemption === null && isRefusal(result),
  );
}

/** The gate of a plan that is denied. */
export function denial(results: readonly PolicyResult[]): Pick<NewGate, "gate" | "code" | "detail"> {
  const reasons = denying(results).map(
    ({ name, deny, error }) => `${name}: ${error === null ? deny.join(" ") : `it could not be evaluated. ${error}`}`,
  );
  const shown = reasons.slice(0, REASONS).join(" ");
  const more = reasons.length > REASONS ? ` And ${reasons.length - REASONS} further policies.` : "";
  const detail = `Denied by policy ${shown}`.slice(0, LONGEST_DETAIL).toWellFormed();
  return {
    gate: "policy",
    code: "policy_denied",
    detail: `${detail}${more} Plan something else, have the policies evaluated again, or let somebody with (policy, override) override them.`,
  };
}
