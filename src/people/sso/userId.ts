/** The deterministic user id (docs/rules/organizations.md#user-ids). Pure. It names a user; it never finds one. */
import { createHash } from "node:crypto";
import { hasControlCharacters } from "../../http/textFields.ts";
import { SignInRefusedError } from "./errors.ts";
import type { SignedIn } from "./provider.ts";

const MAX_PART_CHARS = 320;

/** @throws SignInRefusedError when the provider's login or subject cannot be part of an id */
export function userId({ identity, login }: Pick<SignedIn, "identity" | "login">): string {
  const prefix = identity.providerKey === "oidc" ? `oidc-${issuerHash(identity.issuer)}` : identity.providerKey;
  return [prefix, idPart(login), idPart(identity.subject)].join(":");
}

/** The first 12 hex digits of the issuer's SHA-256. 48 bits can be made to collide, so nothing may rest on them. */
export function issuerHash(issuer: string): string {
  return createHash("sha256").update(issuer).digest("hex").slice(0, 12);
}

/** `:` separates and `%` escapes, so neither may come from a provider. */
function idPart(text: string): string {
  if (text === "" || text.length > MAX_PART_CHARS || hasControlCharacters(text) || !text.isWellFormed()) {
    throw new SignInRefusedError("The identity provider gave a name that cannot be used.");
  }
  return text.replaceAll("%", "%25").replaceAll(":", "%3A");
}
