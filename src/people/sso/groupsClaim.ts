/** Groups as identity providers write them into a token (docs/rules/sign-in.md#groups). Pure. */
import { trueClaim } from "./claimedIdentity.ts";

export type ClaimedGroups =
  | { kind: "listed"; groups: string[] }
  /** The provider says that there are too many to list and where to ask; so this sign-in learned nothing. */
  | { kind: "overage" };

const MAX_GROUP_CHARS = 500;

/**
 * A single string is a list of one. Text that looks like JSON is a group of that name: taking it apart would let
 * whoever names a group name several. What is no text names no group. A claim that is absent says that there are none.
 */
export function claimedGroups(claims: Readonly<Record<string, unknown>>, claim: string): ClaimedGroups {
  const value = ownValue(claims, claim);
  if (value === undefined && isReferred(claims, claim)) return { kind: "overage" };
  const listed = typeof value === "string" ? [value] : Array.isArray(value) ? value : [];
  return { kind: "listed", groups: [...new Set(listed.filter(isGroupName))] };
}

/** `_claim_names` (OpenID Connect 5.6.2), or the flag some providers send where there is no room for a reference. */
function isReferred(claims: Readonly<Record<string, unknown>>, claim: string): boolean {
  const names = claims._claim_names;
  const referred = typeof names === "object" && names !== null && Object.hasOwn(names, claim);
  return referred || (claim === "groups" && trueClaim(claims, "hasgroups"));
}

function ownValue(claims: Readonly<Record<string, unknown>>, claim: string): unknown {
  return Object.hasOwn(claims, claim) ? claims[claim] : undefined;
}

function isGroupName(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= MAX_GROUP_CHARS && !value.includes("\0");
}
