/** Reading the claims that OIDC providers share. Pure. */
import type { Claims } from "./oidc.ts";

/** The claim's text, when it is a text that a database can hold. */
export function textClaim(claims: Claims, name: string): string | undefined {
  const value = Object.hasOwn(claims, name) ? claims[name] : undefined;
  return typeof value === "string" && value !== "" && !value.includes("\0") ? value : undefined;
}

/** Whether the claim says yes: some providers write `true` as text. Anything else is a no. */
export function trueClaim(claims: Claims, name: string): boolean {
  const value = Object.hasOwn(claims, name) ? claims[name] : undefined;
  return value === true || value === "true";
}

/**
 * What invitations are matched with. A name that looks like an address counts only as a verified address: elsewhere
 * people choose their own names.
 */
export function verifiedLogins(claims: Claims): string[] {
  const email = trueClaim(claims, "email_verified") ? textClaim(claims, "email") : undefined;
  const name = textClaim(claims, "preferred_username");
  const logins = [email, name?.includes("@") ? undefined : name];
  return logins.filter((login) => login !== undefined);
}
