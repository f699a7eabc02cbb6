/** What every way of signing in has in common. The three ways differ only behind this interface. */

import type { NamedRow } from "../../platform/db/sqlRow.ts";
import type { PROVIDER_KEYS, userIdentities } from "../members/schema.ts";

export type ProviderKey = (typeof PROVIDER_KEYS)[number];

/**
 * Which question about groups a sign-in asked. Providers with one deployment-wide configuration have empty text in the
 * last three; entitlements and sources carry the same four values, and only equal ones belong together.
 */
export type Question = { providerKey: ProviderKey; issuer: string; clientId: string; groupsClaim: string };

/** What the provider said about the person's place in groups. */
export type Facts =
  | { kind: "codehost"; orgs: readonly string[]; teams: readonly { org: string; team: string }[] }
  | { kind: "workspace"; hostedDomain: string | null }
  | { kind: "oidc"; groups: readonly string[] };

export type Identity = NamedRow<typeof userIdentities, "providerKey" | "issuer" | "subject">;

export type SignedIn = {
  identity: Identity;
  /** What people call themselves there. Never identifies anyone. */
  login: string;
  displayName: string | null;
  /** Logins and addresses the provider vouches for; invitations are matched with these. */
  verifiedLogins: readonly string[];
  question: Question;
  /** Null when the provider gave no answer this time: what is stored then stays until it expires. */
  facts: Facts | null;
};

export type AuthorizationRequest = {
  redirectUri: string;
  state: string;
  nonce: string;
  /** PKCE, S256. */
  codeChallenge: string;
};

export type Callback = {
  /** As they arrived in the query. */
  parameters: URLSearchParams;
  redirectUri: string;
  state: string;
  nonce: string;
  codeVerifier: string;
};

export interface Provider {
  readonly key: ProviderKey;
  readonly displayName: string;
  readonly issuer: string;
  /** Where the browser goes. @throws DiscoveryError */
  authorizationUrl(request: AuthorizationRequest): Promise<URL>;
  /** Exchange the code and check everything that came of it. @throws SignInRefusedError, ProviderUnavailableError */
  complete(callback: Callback): Promise<SignedIn>;
}

export const STATIC_QUESTION = { issuer: "", clientId: "", groupsClaim: "" } as const;
