/**
 * Who may come to hold what through a changed identity source, and so what its changer must hold
 * (docs/access.md#nobody-hands-on-more-than-they-hold).
 */
import type { Subject } from "../../http/principal.ts";
import type { Queryable } from "../../platform/db/client.ts";
import { InvalidValueError } from "../../platform/problems/requestErrors.ts";
import { assertCoversInvitations } from "../roles/coverage.ts";
import type { SourceRow } from "./readSources.ts";
import type { OidcSettings } from "./sourceChecks.ts";
import type { SourceSettings } from "./sourceFields.ts";

/** A source as it will be. */
type Trusting = OidcSettings & { enabled: boolean };

/**
 * Whether other people than now may come to hold what the source's bindings confer: whoever decides which issuer,
 * client and claim prove a group could make themselves a member of any.
 */
export function confersAnew(before: SourceRow, after: Trusting): boolean {
  return (
    (after.enabled && !before.enabled) ||
    after.oidcIssuer !== before.oidcIssuer ||
    after.oidcClientId !== before.oidcClientId ||
    after.oidcGroupsClaim !== before.oidcGroupsClaim
  );
}

/** Whether the organization trusts an issuer after the write that it did not trust before. */
export function trustsAnew(before: SourceRow | null, after: Trusting): boolean {
  if (!after.enabled || after.oidcIssuer === "") return false;
  return !before?.enabled || before.oidcIssuer !== after.oidcIssuer;
}

/**
 * An issuer that this write makes the organization trust could vouch for everybody who is invited.
 * @throws ForbiddenError
 */
export async function assertMayTrust(
  tx: Queryable,
  subject: Subject,
  orgId: string,
  before: SourceRow | null,
  after: Trusting,
): Promise<void> {
  if (trustsAnew(before, after)) await assertCoversInvitations(tx, subject, orgId);
}

/** A stored secret must not be had by pointing its source at a server of one's own. */
export function assertSecretStaysHome(before: SourceRow, oidc: OidcSettings, { client_secret }: SourceSettings): void {
  if (before.clientSecret === null || client_secret !== undefined || oidc.oidcIssuer === before.oidcIssuer) return;
  throw new InvalidValueError([{ field: "client_secret", message: "must be sent again when the issuer changes" }]);
}
