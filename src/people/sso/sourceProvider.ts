/** An organization's own OIDC source as a way of signing in. */
import type { Egress } from "../../platform/egress/egress.ts";
import { textClaim, verifiedLogins } from "./claimedIdentity.ts";
import type { Discovery } from "./discovery.ts";
import { claimedGroups } from "./groupsClaim.ts";
import { type Claims, oidcProvider } from "./oidc.ts";
import type { Provider, SignedIn } from "./provider.ts";

export type OidcSource = {
  orgId: string;
  displayName: string;
  issuer: string;
  clientId: string;
  groupsClaim: string;
  /** A further scope that makes the provider send groups. */
  groupsScope: string | null;
  clientSecret: string | undefined;
};

export function sourceProvider(source: OidcSource, discovery: Discovery, egress: Egress): Provider {
  const { orgId, issuer, clientId, clientSecret, groupsClaim, groupsScope, displayName } = source;
  return oidcProvider(
    {
      key: "oidc",
      displayName,
      issuer,
      clientId,
      clientSecret,
      scopes: [...new Set(["openid", "profile", "email", ...(groupsScope?.split(" ") ?? [])])],
      discover: () => discovery.known(issuer, orgId),
      discoverAnew: () => discovery.anew(issuer, orgId),
      wasInVain: () => discovery.wasInVain(issuer),
      needsUserInfo: (claims) =>
        textClaim(claims, "preferred_username") === undefined ||
        (!Object.hasOwn(claims, groupsClaim) && claimedGroups(claims, groupsClaim).kind === "listed"),
      signedIn: (claims) => signedIn(claims, { issuer, clientId, groupsClaim }),
    },
    // Each call by itself, so that nobody holds a place between two of them.
    { ...egress, request: (call) => egress.through(orgId, () => egress.request(call)) },
  );
}

function signedIn(
  claims: Claims & { sub: string },
  question: { issuer: string; clientId: string; groupsClaim: string },
): SignedIn {
  const claimed = claimedGroups(claims, question.groupsClaim);
  return {
    identity: { providerKey: "oidc", issuer: question.issuer, subject: claims.sub },
    login: textClaim(claims, "preferred_username") ?? textClaim(claims, "email") ?? claims.sub,
    displayName: textClaim(claims, "name") ?? null,
    verifiedLogins: verifiedLogins(claims),
    question: { providerKey: "oidc", ...question },
    facts: claimed.kind === "overage" ? null : { kind: "oidc", groups: claimed.groups },
  };
}
