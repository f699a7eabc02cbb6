import type { Subject } from "../../http/principal.ts";
import type { Db } from "../../platform/db/client.ts";
import { requireOrg } from "../authorization/authorize.ts";
import type { Discovery } from "./discovery.ts";
import { loadSource } from "./readSources.ts";
import { checkedSettings } from "./sourceChecks.ts";

/**
 * Needs (identity_source, manage). Asks the issuer now, whatever is cached.
 * @throws ForbiddenError, NotFoundError, InvalidValueError
 */
export async function testSource(
  { db, discovery }: { db: Db; discovery: Discovery },
  subject: Subject,
  orgId: string,
  sourceId: string,
): Promise<void> {
  await requireOrg(db, subject, orgId, { type: "identity_source", action: "manage" });
  const { providerKey, oidcIssuer, oidcClientId, oidcGroupsClaim } = await loadSource(db, orgId, sourceId);
  if (providerKey !== "oidc") return;
  await checkedSettings(discovery, orgId, providerKey, {
    display_name: "",
    enabled: true,
    oidc_issuer: oidcIssuer,
    oidc_client_id: oidcClientId,
    oidc_groups_claim: oidcGroupsClaim,
  });
}
