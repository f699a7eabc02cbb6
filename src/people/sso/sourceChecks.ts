/**
 * What a source's settings must be before they are stored
 * (docs/rules/sign-in.md#a-source-is-checked-before-it-is-stored).
 */
import type { FieldProblem } from "../../platform/problems/problem.ts";
import { InvalidValueError } from "../../platform/problems/requestErrors.ts";
import type { Discovery } from "./discovery.ts";
import { DiscoveryError } from "./errors.ts";
import type { SourceSettings } from "./sourceFields.ts";

/** Empty for providers with one deployment-wide configuration. */
export type OidcSettings = { oidcIssuer: string; oidcClientId: string; oidcGroupsClaim: string };

const OIDC_FIELDS = ["oidc_issuer", "oidc_client_id", "oidc_groups_claim", "groups_scope", "client_secret"] as const;
const REQUIRED = ["oidc_issuer", "oidc_client_id"] as const;

/**
 * The settings as they are stored. An issuer is asked for its description now, so that a mistyped one is refused here
 * and not found out by the first person who signs in.
 * @throws InvalidValueError
 */
export async function checkedSettings(
  discovery: Pick<Discovery, "fresh">,
  orgId: string,
  providerKey: string,
  settings: SourceSettings,
): Promise<OidcSettings> {
  const problems = providerKey === "oidc" ? missing(settings) : superfluous(settings);
  if (problems.length > 0) throw new InvalidValueError(problems);
  const { oidc_issuer: issuer, oidc_client_id: clientId, oidc_groups_claim: groupsClaim = "groups" } = settings;
  if (issuer === undefined || clientId === undefined) return { oidcIssuer: "", oidcClientId: "", oidcGroupsClaim: "" };
  try {
    // As the issuer writes itself: that is what its tokens will say.
    const server = await discovery.fresh(issuer, orgId);
    return { oidcIssuer: server.issuer, oidcClientId: clientId, oidcGroupsClaim: groupsClaim };
  } catch (error) {
    if (!(error instanceof DiscoveryError)) throw error;
    throw new InvalidValueError([{ field: "oidc_issuer", message: error.reason }]);
  }
}

function missing(settings: SourceSettings): FieldProblem[] {
  return REQUIRED.filter((field) => settings[field] === undefined).map((field) => ({
    field,
    message: "is required for this provider",
  }));
}

function superfluous(settings: SourceSettings): FieldProblem[] {
  return OIDC_FIELDS.filter((field) => (settings[field] ?? null) !== null).map((field) => ({
    field,
    message: "cannot be set: the platform's operator configures this provider",
  }));
}
