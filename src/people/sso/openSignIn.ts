/** Puts the parts of signing in together out of the settings; each program that serves people's routes does it once. */
import type { Context } from "hono";
import { type AddressLimit, addressLimit } from "../../http/addressLimit.ts";
import { clientAddress } from "../../http/clientAddress.ts";
import type { Keyring } from "../../platform/crypto/keyring.ts";
import type { Queryable } from "../../platform/db/client.ts";
import type { Egress } from "../../platform/egress/egress.ts";
import type { Logger } from "../../platform/telemetry/log.ts";
import type { Metrics } from "../../platform/telemetry/metrics.ts";
import { type BrowserOrigin, browserOrigin } from "../sessions/browserOrigin.ts";
import { type CodehostConfig, codehostProvider } from "./codehost.ts";
import { Discovery } from "./discovery.ts";
import { Providers } from "./providers.ts";
import { type WorkspaceConfig, workspaceProvider } from "./workspace.ts";

/** What signing in is made of. */
export type SignInParts = {
  /** Null while there is no public address that a provider could send people back to: then nobody signs in. */
  origin: BrowserOrigin | null;
  discovery: Discovery;
  providers: Providers;
  /** The one budget of all public sign-in routes. */
  limit: AddressLimit;
  /** The address of whoever asks, for a person to read. */
  clientAddress: (c: Context) => string;
  /** How long what was learned of groups and memberships lasts, in milliseconds. */
  entitlementTtlMs: number;
};

/** How people sign in, as the operator set it. */
export type SignInSettings = {
  signIn: CodehostConfig & WorkspaceConfig & { entitlementTtlMs: number; requestsPerMinute: number };
  publicBaseUrl: string | undefined;
  trustedProxies: number;
};

type OpenDeps = {
  config: SignInSettings;
  db: Queryable;
  keyring: Keyring;
  egress: Egress;
  metrics: Metrics;
  log: Logger;
  /** Another one in tests only. */
  workspaceIssuer?: string;
};

/**
 * Asks the workspace provider for its configuration, when there is one; that may take as long as an outbound call may.
 */
export async function openSignIn(deps: OpenDeps): Promise<SignInParts> {
  const { config, db, keyring, egress, metrics, log, workspaceIssuer } = deps;
  const discovery = new Discovery(egress, metrics);
  const issuer = workspaceIssuer === undefined ? {} : { issuer: workspaceIssuer };
  const platform = [
    codehostProvider(config.signIn, egress),
    await workspaceProvider({ config: config.signIn, egress, discovery, log, ...issuer }),
  ].filter((provider) => provider !== undefined);
  return {
    origin: config.publicBaseUrl === undefined ? null : browserOrigin(config.publicBaseUrl),
    discovery,
    providers: new Providers({ db, keyring, egress, discovery, platform }),
    limit: addressLimit({ perMinute: config.signIn.requestsPerMinute, trustedProxies: config.trustedProxies }),
    clientAddress: (c) => clientAddress(c, config.trustedProxies),
    entitlementTtlMs: config.signIn.entitlementTtlMs,
  };
}
