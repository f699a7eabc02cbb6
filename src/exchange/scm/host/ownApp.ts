/**
 * Whether an organization here holds the key of an app that belongs to an organization of the code host and is
 * installed there (docs/rules/sign-in.md#rules-need-proof). The owner counts besides the installation: an app that
 * others offer is installed at many.
 */
import { createPrivateKey } from "node:crypto";
import type { Keyring } from "../../../platform/crypto/keyring.ts";
import type { Db } from "../../../platform/db/client.ts";
import type { Egress } from "../../../platform/egress/egress.ts";
import { openAuth } from "../authConfig.ts";
import { integrationsInOrder } from "../integrations.ts";
import { signedByApp } from "./appCredentials.ts";
import { HostError } from "./errors.ts";
import { apiOf } from "./hosts.ts";
import { octokitOver, type Transport, transportOver } from "./transport.ts";

type Deps = { db: Db; keyring: Pick<Keyring, "open">; egress: Pick<Egress, "request" | "through"> };

/** More apps of one organization are not asked. */
const MOST_APPS = 5;

/**
 * @param api of the code host that people sign in with: whoever runs another could say anything
 * @returns false also where no app can be asked
 */
export async function ownsThroughApp({ db, keyring, egress }: Deps, api: string, orgId: string, name: string) {
  const rows = (await integrationsInOrder(db, orgId)).filter(
    (row) => row.hostKind === "github" && row.authConfigSummary.kind === "app" && apiOf(row) === api,
  );
  if (rows.length === 0) return false;
  const transport = transportOver(octokitOver(egress, api));
  return egress.through(orgId, async () => {
    for (const row of rows.slice(0, MOST_APPS)) {
      const auth = await openAuth(keyring, row);
      const authorization = await signedByApp(auth, createPrivateKey(auth.private_key ?? ""));
      if (await isOwnAndInstalled(transport, authorization, name)) return true;
    }
    return false;
  });
}

type Account = { login?: unknown; type?: unknown };

async function isOwnAndInstalled(transport: Transport, authorization: string, org: string): Promise<boolean> {
  try {
    const { data: app } = await transport({ route: "GET /app", authorization });
    if (!isOrganization((app as { owner?: Account }).owner, org)) return false;
    const { data } = await transport({ route: "GET /orgs/{org}/installation", parameters: { org }, authorization });
    const { account, suspended_at } = data as { account?: Account; suspended_at?: unknown };
    return isOrganization(account, org) && (suspended_at ?? null) === null;
  } catch (error) {
    if (error instanceof HostError) return false;
    throw error;
  }
}

/** Exactly as the host writes it, since rules compare so. */
function isOrganization(account: Account | undefined, name: string): boolean {
  return account?.login === name && account.type === "Organization";
}
